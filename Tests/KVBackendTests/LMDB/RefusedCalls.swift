#if os(Linux)
internal import CSetteeLMDB
internal import Foundation

@testable internal import SetteeKV

/// Makes a system call fail from now on, in the calling thread, with a kernel filter: only for processes of their own,
/// since it cannot be undone.
enum RefusedCalls {
    /// Like a disk that accepts what is written and cannot keep it.
    ///
    /// - Returns: false if the system has no such filters.
    static func refuseSyncs(_ error: Int32) -> Bool { refuse(Call.fdatasync, error) }

    /// Refuses writes to one descriptor.
    static func refuseWrites(to descriptor: Int32, _ error: Int32) -> Bool {
        refuse(Call.pwrite, error, firstArgument: UInt32(descriptor))
    }

    /// Refuses what a store with `Durability.full` writes to its meta pages. LMDB has two descriptors of the file: one
    /// for all pages, and one for meta pages.
    static func refuseMetaPages(of store: LMDBStore, _ error: Int32) throws -> Bool {
        var pages: Int32 = -1
        mdb_env_get_fd(store.environment.handle, &pages)
        let file = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(pages)")
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let others = descriptors.filter {
            $0 != pages && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == file
        }
        guard others.count == 1 else { exit(9) }
        return refuseWrites(to: others[0], error)
    }

    #if arch(x86_64)
    private enum Call {
        static let fdatasync: UInt32 = 75
        static let pwrite: UInt32 = 18
    }
    #else
    private enum Call {
        static let fdatasync: UInt32 = 83
        static let pwrite: UInt32 = 68
    }
    #endif

    /// The kernel's `sock_filter`.
    private struct Instruction {
        var code: UInt16
        var ifTrue: UInt8 = 0
        var ifFalse: UInt8 = 0
        var value: UInt32

        static func load(_ offset: UInt32) -> Instruction { Instruction(code: 0x20, value: offset) }
        static func unless(_ value: UInt32, skip count: UInt8) -> Instruction {
            Instruction(code: 0x15, ifFalse: count, value: value)
        }
        static func end(_ verdict: UInt32) -> Instruction { Instruction(code: 0x06, value: verdict) }
    }

    /// The kernel's `sock_fprog`.
    private struct Filter {
        var count: UInt16
        var instructions: UnsafePointer<Instruction>
    }

    private static func refuse(_ call: UInt32, _ error: Int32, firstArgument: UInt32? = nil) -> Bool {
        let refusal = Instruction.end(0x0005_0000 | UInt32(error))
        var program: [Instruction] = [.load(0), .unless(call, skip: firstArgument == nil ? 1 : 3)]
        if let firstArgument { program += [.load(16), .unless(firstArgument, skip: 1)] }
        program += [refusal, .end(0x7FFF_0000)]
        // Swift hides `prctl`, which takes any number of arguments.
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        guard let symbol = dlsym(nil, "prctl") else { return false }
        let control = unsafeBitCast(symbol, to: Control.self)
        let (noNewPrivileges, setFilter, mode) = (Int32(38), Int32(22), UInt(2))
        guard control(noNewPrivileges, 1, 0, 0, 0) == 0 else { return false }
        return program.withUnsafeBufferPointer { instructions in
            guard let base = instructions.baseAddress else { return false }
            let filter = Filter(count: UInt16(instructions.count), instructions: base)
            return withUnsafePointer(to: filter) { control(setFilter, mode, UInt(bitPattern: $0), 0, 0) == 0 }
        }
    }
}
#endif
