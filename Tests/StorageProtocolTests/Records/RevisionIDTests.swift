internal import StorageConformance
internal import StorageProtocol
internal import Testing

@Suite struct RevisionIDTests {
    static let digest = "cd809becc169215072fd567eebd8b8de"

    @Test(
        arguments: [
            ("1-" + digest, 1),
            ("9223372036854775807-" + digest, 9_223_372_036_854_775_807),
            ("2-" + digest.uppercased(), 2),
            ("1-3F2504E0-4F89-41D3-9A0C-0305E82C3301", 1),
            ("12-x", 12),
            ("3--", 3),
            ("1-" + digest.dropLast(), 1),
            ("1-" + digest + "0", 1),
            ("1-cd809becc169215072fd567eebd8b8dg", 1),
            ("1-cd809becc169215072fd567eebd8b8do", 1),
            ("1-cd809becc169215072fd567eebd8b8d:", 1),
            ("1-local", 1),
            ("7-a b/\u{e9}\u{1F600}", 7),
            ("1-" + String(repeating: "x", count: 253), 1),
        ] as [(String, UInt64)]
    )
    func keepsItsText(text: String, generation: UInt64) throws {
        let id = try RevisionID(text)
        #expect(id.generation == generation)
        #expect(Array(id.string.utf8) == Array(text.utf8))
        #expect(id.description == id.string)
        var appended: [UInt8] = [0]
        id.append(to: &appended)
        #expect(appended == [0] + Array(text.utf8))
        #expect(id.withText { $0.byteCount } == text.utf8.count)
        let stored = try unsafe RevisionID(stored: appended.span.bytes.extracting(droppingFirst: 1))
        #expect(stored == id)
        #expect(stored.hashValue == id.hashValue)
    }

    static let malformed: [[UInt8]] =
        [
            "", "-", "1", "1-", "-a", "0-a", "01-a", "00-a", "+1-a", "-1-a", " 1-a", "1 -a", "x-a", "1x-a", "1.0-a",
            "9223372036854775808-a", "18446744073709551617-a", "99999999999999999999-a", "1-a\u{0}", "1-\u{1F}",
            "1-a\u{7F}", "1-\u{85}", "1-\n", "1-" + String(repeating: "x", count: 254), "\u{661}-a",
        ].map { (text: String) in Array(text.utf8) } + [
            [0x31, 0x2D, 0xFF], [0x31, 0x2D, 0xC3], [0x31, 0x2D, 0xED, 0xA0, 0x80], [0x31, 0x2D, 0xC0, 0xAF],
        ]

    @Test(arguments: malformed)
    func refusesWhatIsNoRevisionID(bytes: [UInt8]) {
        #expect(code { () throws(StorageError) in _ = try unsafe RevisionID(text: bytes.span.bytes) } == .badRequest)
        #expect(code { () throws(StorageError) in _ = try unsafe RevisionID(stored: bytes.span.bytes) } == .corrupt)
        if let text = String(validating: bytes, as: UTF8.self) {
            #expect(code { () throws(StorageError) in _ = try RevisionID(text) } == .badRequest)
        }
    }

    @Test func isMadeFromADigest() throws {
        let halves = try RevisionID(generation: 1, digest: (0xcd80_9bec_c169_2150, 0x72fd_567e_ebd8_b8de))
        let bytes: [UInt8] = [
            0xcd, 0x80, 0x9b, 0xec, 0xc1, 0x69, 0x21, 0x50, 0x72, 0xfd, 0x56, 0x7e, 0xeb, 0xd8, 0xb8, 0xde,
        ]
        let whole = try unsafe RevisionID(generation: 1, digest: bytes.span.bytes)
        #expect(halves.string == "1-" + Self.digest)
        #expect(whole == halves)
        #expect(try RevisionID("1-" + Self.digest) == halves)
        #expect(try RevisionID(generation: 1, digest: (0, 0)).string == "1-" + String(repeating: "0", count: 32))

        for generation in [0, UInt64(Int64.max) + 1, UInt64.max] {
            #expect(
                code { () throws(StorageError) in _ = try RevisionID(generation: generation, digest: (1, 2)) }
                    == .badRequest
            )
        }
        #expect(
            code { () throws(StorageError) in
                _ = try unsafe RevisionID(generation: 1, digest: bytes.span.bytes.extracting(first: 15))
            } == .badParameter
        )
    }

    @Test func isOrderedByGenerationThenBytes() throws {
        let sorted = [
            "1-", "1-" + Self.digest.uppercased(), "1-a", "1-" + Self.digest, "1-d", "1-e\u{301}", "1-\u{e9}",
            "2-" + String(repeating: "0", count: 32), "2-" + String(repeating: "0", count: 33), "2-00ff",
            "2-" + String(repeating: "f", count: 32), "9-f", "10-0", "10-" + Self.digest, "99-z", "100-0",
            "9223372036854775807-a",
        ].dropFirst()
        let ids = try sorted.map { text in try RevisionID(text) }
        for (place, id) in ids.enumerated() {
            for (other, otherID) in ids.enumerated() {
                #expect((id < otherID) == (place < other), "\(id) against \(otherID)")
                #expect((id == otherID) == (place == other), "\(id) against \(otherID)")
            }
        }
    }

    @Test func randomSuffixesAreOrderedAsTheirBytes() throws {
        let seed: UInt64 = 11
        var random = SeededGenerator(seed: seed)
        let digits = Array("0123456789abcdefABG-".utf8)
        func suffix(_ alphabet: Int) -> [UInt8] {
            let length = random.chance(3, in: 4) ? 32 : 1 + random.below(40)
            return (0..<length).map { _ in digits[random.below(alphabet)] }
        }
        for _ in 0..<5_000 {
            var x = suffix(random.chance(1, in: 2) ? 16 : 20)
            var y = suffix(random.chance(1, in: 2) ? 16 : 20)
            if random.chance(1, in: 2) { y = Array((x.prefix(random.below(x.count)) + y).prefix(32)) }
            if random.chance(1, in: 20) { x = y }
            let a = try RevisionID("5-" + String(decoding: x, as: UTF8.self))
            let b = try RevisionID("5-" + String(decoding: y, as: UTF8.self))
            #expect((a < b) == (compareBytes(x, y) < 0), "seed \(seed): \(a), \(b)")
            #expect((a == b) == (x == y), "seed \(seed): \(a), \(b)")
            #expect(Array(a.string.utf8) == Array("5-".utf8) + x, "seed \(seed)")
        }
    }

    private func code(_ body: () throws(StorageError) -> Void) -> StorageError.Code? {
        do throws(StorageError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }
}
