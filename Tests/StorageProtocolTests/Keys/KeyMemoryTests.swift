import Foundation
import StorageProtocol
import Testing

#if os(Linux)
/// Where keys are in memory.
@Suite struct KeyMemoryTests {
    /// Keys are not in core dumps: their pages are marked for that.
    @Test(arguments: [1, 32, 4096, 4097, StorageKey.longestPassphrase])
    func pagesOfAKeyAreLeftOutOfDumps(count: Int) throws {
        let bytes = [UInt8](repeating: 0x61, count: count)
        let key = try StorageKey(passphrase: bytes.span.bytes)
        let (start, end) = ends(of: key)
        #expect(try flags(at: start).contains("dd"))
        #expect(try flags(at: end - 1).contains("dd"))
        let heap = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)
        defer { heap.deallocate() }
        let ordinary = try flags(at: UInt(bitPattern: heap))
        #expect(!ordinary.isEmpty && !ordinary.contains("dd"), "the flag says nothing if all memory has it")
    }

    @Test func eachKeyHasPagesOfItsOwn() throws {
        let keys = try (0..<64).map { try StorageKey(bytes: [UInt8](repeating: $0, count: 32).span.bytes) }
        let page = UInt(getpagesize())
        let pages = keys.map { ends(of: $0).start / page }
        #expect(Set(pages).count == keys.count)
        for (number, key) in keys.enumerated() {
            #expect(key.withBytes { $0.withUnsafeBytes { $0.allSatisfy { $0 == UInt8(number) } } })
        }
    }

    /// The limit does not apply to a privileged process, for which this shows that many keys are no problem.
    @Test func keysThatCannotBeLockedAreAsGood() throws {
        var old = rlimit()
        try #require(getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &old) == 0)
        var low = old
        low.rlim_cur = 0
        try #require(setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &low) == 0)
        defer { setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &old) }
        let bytes = [UInt8](repeating: 5, count: 32)
        let keys = try (0..<2_000).map { _ in try StorageKey(bytes: bytes.span.bytes) }
        #expect(keys.allSatisfy { $0 == keys[0] })
    }

    /// If no page is available, a key is in memory from malloc; if that has none either, it is an error.
    @Test func withoutMemoryAKeyIsAnError() async throws {
        await #expect(processExitsWith: .success) {
            let text = String(repeating: "x", count: StorageKey.longestPassphrase)
            var keys: [StorageKey] = []
            keys.reserveCapacity(100_000)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            limit.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            let small = try StorageKey(bytes: [UInt8](repeating: 7, count: 32).span.bytes)
            let inHeap = small.withBytes { $0.withUnsafeBytes { $0.allSatisfy { $0 == 7 } } }
            guard inHeap else { exit(2) }
            do throws(StorageError) {
                // malloc keeps blocks in reserve: only many keys exhaust them.
                for _ in 0..<100_000 { keys.append(try StorageKey(passphrase: text)) }
                exit(3)
            } catch {
                exit(error.code == .storage ? EXIT_SUCCESS : 4)
            }
        }
    }

    private func ends(of key: StorageKey) -> (start: UInt, end: UInt) {
        key.withBytes { span in
            span.withUnsafeBytes { bytes in
                let start = UInt(bitPattern: bytes.baseAddress)
                return (start, start + UInt(bytes.count))
            }
        }
    }

    /// The system's flags of the mapping with an address.
    private func flags(at address: UInt) throws -> [Substring] {
        let list = open("/proc/self/smaps", O_RDONLY)
        try #require(list >= 0)
        defer { close(list) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(list, &piece, piece.count), count > 0 { text += piece[..<count] }
        var isHere = false
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2 {
                isHere = (ends[0]..<ends[1]).contains(address)
            } else if isHere, words[0] == "VmFlags:" {
                return Array(words.dropFirst())
            }
        }
        return []
    }
}
#endif
