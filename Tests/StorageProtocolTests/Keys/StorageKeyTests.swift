import Foundation
import StorageProtocol
import Testing

/// What a key reveals about itself, and what is left of it.
@Suite struct StorageKeyTests {
    private func key(_ bytes: [UInt8]) throws -> StorageKey { try StorageKey(bytes: bytes.span.bytes) }

    @Test func theBytesAreLentAsTheyAre() throws {
        let bytes = (0..<32).map { UInt8($0) &* 7 }
        let raw = try key(bytes)
        #expect(raw.kind == .raw)
        #expect(
            raw.withBytes { span in
                (0..<span.byteCount).map { unsafe span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            } == bytes
        )
        let passphrase = try StorageKey(passphrase: "né\u{0}a")
        #expect(passphrase.kind == .passphrase)
        #expect(passphrase.withBytes { $0.byteCount } == 5)
    }

    @Test func lengthsAreChecked() throws {
        for count in [0, 1, 31, 33, 64] {
            let error = #expect(throws: StorageError.self) { try key([UInt8](repeating: 1, count: count)) }
            #expect(error?.code == .badParameter, "\(count) bytes")
        }
        for text in ["", String(repeating: "x", count: StorageKey.longestPassphrase + 1)] {
            let error = #expect(throws: StorageError.self) { try StorageKey(passphrase: text) }
            #expect(error?.code == .badParameter, "\(text.utf8.count) bytes")
        }
        _ = try StorageKey(passphrase: String(repeating: "x", count: StorageKey.longestPassphrase))
    }

    @Test func keysAreEqualByKindAndBytes() throws {
        let bytes = [UInt8](repeating: 0x61, count: 32)
        let text = String(repeating: "a", count: 32)
        #expect(try key(bytes) == key(bytes))
        #expect(try StorageKey(passphrase: text) == StorageKey(passphrase: [UInt8](text.utf8).span.bytes))
        #expect(try key(bytes) != StorageKey(passphrase: text))
        #expect(try StorageKey(passphrase: "a") != StorageKey(passphrase: "aa"))
        #expect(try StorageKey(passphrase: "\u{E9}") != StorageKey(passphrase: "e\u{301}"))
        for place in [0, 15, 31] {
            var other = bytes
            other[place] ^= 0x80
            #expect(try key(bytes) != key(other), "byte \(place)")
        }
    }

    /// A key, or options that hold one, must not appear in a log, a crash report or a debugger's view.
    @Test func nothingTellsWhatItIs() throws {
        let secret = "correct horse battery staple"
        let key = try StorageKey(passphrase: secret)
        var dumped = ""
        dump(key, to: &dumped)
        dump(StorageOptions(key: key), to: &dumped)
        dump(StorageCopyOptions(key: .other(key)), to: &dumped)
        let texts = [
            "\(key)", String(describing: key), String(reflecting: key), key.description, key.debugDescription, dumped,
            "\(StorageOptions(key: key))", "\(StorageCopyOptions(key: .other(key)))",
        ]
        for text in texts {
            #expect(!text.contains(secret) && !text.contains("horse"), "\(text)")
            #expect(!text.contains("\(secret.utf8.count)"), "\(text)")
        }
        #expect(Mirror(reflecting: key).children.isEmpty)
        #expect(Mirror(reflecting: key).superclassMirror == nil)
        #expect((key as Any) as? any Encodable == nil)
    }

    #if os(Linux)
    /// The whole memory of the process is searched for the key. malloc may overwrite the first 16 bytes of a freed
    /// block, so the last half is searched for.
    @Test func nothingIsLeftInMemory() throws {
        let masked = (0..<32).map { _ in UInt8.random(in: 0...255) }
        var held: StorageKey? = try makeKey(masked)
        let isFound = try isInMemory(masked)
        #expect(isFound, "the search finds a key that is there")
        withExtendedLifetime(held) {}
        held = nil
        #expect(try !isInMemory(masked), "the last half of the key is still there")
    }

    /// A key with the bytes of `masked`, all bits inverted, which are nowhere else.
    private func makeKey(_ masked: [UInt8]) throws -> StorageKey {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32, alignment: 1)
        defer {
            explicit_bzero(buffer.baseAddress!, 32)
            buffer.deallocate()
        }
        for index in 0..<32 { buffer[index] = ~masked[index] }
        return try StorageKey(bytes: UnsafeRawBufferPointer(buffer).bytes)
    }

    /// The system's list of this process's mappings. Foundation ends at the first short read, which is not the end of
    /// such a list.
    private func mappings() throws -> String {
        let list = open("/proc/self/maps", O_RDONLY)
        try #require(list >= 0)
        defer { close(list) }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(list, &piece, piece.count), count > 0 { text += piece[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the last half of the key is anywhere except where the search itself has it.
    private func isInMemory(_ masked: [UInt8]) throws -> Bool {
        let maps = try mappings()
        var local = 0
        let stack = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
        let memory = open("/proc/self/mem", O_RDONLY)
        try #require(memory >= 0)
        let piece = 1 << 20
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 16)
        defer {
            close(memory)
            explicit_bzero(buffer.baseAddress!, buffer.count)
            buffer.deallocate()
        }
        let start = UInt(bitPattern: buffer.baseAddress)
        let own = start..<start + UInt(buffer.count)
        for line in maps.split(separator: "\n") where line.contains(" rw-p ") {
            let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard ends.count == 2 else { continue }
            var place = ends[0]
            while place < ends[1] {
                let got = pread(memory, buffer.baseAddress, min(piece, Int(ends[1] - place)), off_t(place))
                guard got > 0 else {
                    // Another thread has released part of what is listed.
                    place += 4096
                    continue
                }
                var start = 0
                while got - start >= 16,
                    let hit = memchr(buffer.baseAddress! + start, Int32(~masked[16]), got - start - 15)
                {
                    let offset = hit - buffer.baseAddress!
                    // Registers, with what was compared last, are sometimes saved on this thread's stack. The system's
                    // list does not show where a stack ends: adjacent memory may be in the same line.
                    let found = place + UInt(offset)
                    let isOwn = own.contains(found) || max(found, stack) - min(found, stack) < 64 << 10
                    if !isOwn, (1..<16).allSatisfy({ buffer[offset + $0] == ~masked[16 + $0] }) { return true }
                    start = offset + 1
                }
                place += UInt(got > 4096 ? got - 16 : got)
            }
        }
        return false
    }
    #endif
}
