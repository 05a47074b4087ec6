#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Bytes that are overwritten before their memory is given back.
@safe
final class SecretBytes: @unchecked Sendable {
    // Sendable since nothing changes after the initializer.
    private let memory: UnsafeMutableRawBufferPointer

    init(_ bytes: RawSpan) {
        unsafe memory = .allocate(byteCount: bytes.byteCount, alignment: 16)
        unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
    }

    deinit {
        unsafe SecretBytes.wipe(memory)
        unsafe memory.deallocate()
    }

    var count: Int { unsafe memory.count }

    func withBytes<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe body(UnsafeRawBufferPointer(memory).bytes)
    }

    /// Looks at all bytes, wherever the first difference is.
    func equals(_ other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<count { unsafe difference |= memory[index] ^ other.memory[index] }
        return difference == 0
    }

    /// Overwrites memory, by a call of the system that no compiler leaves out though nobody reads the memory again.
    static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let start = memory.baseAddress, memory.count > 0 else { return }
        #if canImport(Darwin)
        unsafe _ = memset_s(start, memory.count, 0, memory.count)
        #else
        unsafe explicit_bzero(start, memory.count)
        #endif
    }
}
