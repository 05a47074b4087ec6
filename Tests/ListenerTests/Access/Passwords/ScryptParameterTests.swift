internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

@Suite struct ScryptParameterTests {
    @Test(
        arguments: [
            (1 << 10, 8, 1), (1 << 14, 8, 1), (1 << 14, 8, 5), (1 << 14, 8, 16), (1 << 15, 16, 1), (1 << 16, 8, 1),
            (1 << 15, 1, 1), (1 << 17, 4, 1), (1 << 16, 2, 16),
        ] as [(Int64, Int64, Int64)]
    )
    func takesWhatIsWithinTheLimits(rounds: Int64, blockSize: Int64, parallelism: Int64) throws {
        let parameters = try #require(ScryptParameters(rounds: rounds, blockSize: blockSize, parallelism: parallelism))
        #expect(128 * parameters.rounds * parameters.blockSize <= 64 << 20)
    }

    @Test(
        arguments: [
            (0, 8, 1), (1, 8, 1), (-1 << 14, 8, 1), (1 << 9, 8, 1), (1 << 18, 8, 1), (1 << 40, 8, 1),
            (.max, .max, .max), (.min, .min, .min), (16_383, 8, 1), (16_385, 8, 1), (1 << 14, 0, 1), (1 << 14, 17, 1),
            (1 << 14, -8, 1), (1 << 14, 8, 0), (1 << 14, 8, 17), (1 << 14, 8, -1), (1 << 17, 8, 1), (1 << 16, 16, 1),
            (1 << 16, 8, 5), (1 << 16, 1, 1), (1 << 17, 1, 1), (1 << 14, 8, 1 << 40),
        ] as [(Int64, Int64, Int64)]
    )
    func refusesTheRest(rounds: Int64, blockSize: Int64, parallelism: Int64) {
        #expect(ScryptParameters(rounds: rounds, blockSize: blockSize, parallelism: parallelism) == nil)
    }

    /// The library computes its own bound on memory, which the narrowest shapes must not meet.
    @Test(
        arguments: [(1 << 10, 16, 1), (1 << 10, 1, 1), (1 << 10, 1, 16), (1 << 10, 16, 16)] as [(Int64, Int64, Int64)]
    )
    func theLibraryTakesAllShapes(rounds: Int64, blockSize: Int64, parallelism: Int64) throws {
        let parameters = try #require(ScryptParameters(rounds: rounds, blockSize: blockSize, parallelism: parallelism))
        #expect(Scrypt.hash("a", salt: [1], parameters) != nil)
    }

    @Test func entriesComeBackFromTheirLines() throws {
        let text = try ListenerUsers.fileEntry(name: "ida \u{e9}", password: "secret word", roles: ["writer", "s\"x"])
        let entry = try #require(PasswordEntry(line: Array(text.utf8)))
        #expect(entry.name == "ida \u{e9}" && entry.roles == ["writer", "s\"x"] && entry.line == text)
        #expect(entry.parameters == .standard && entry.salt.count == 16 && entry.hash.count == 32)
        #expect(!text.contains("secret") && !text.contains("\n"))
        let again = try ListenerUsers.fileEntry(name: "ida \u{e9}", password: "secret word", roles: ["writer", "s\"x"])
        #expect(again != text, "the salts are the same")
    }

    @Test(
        arguments: [
            ("", "word", []), ("a:b", "word", []), ("a\nb", "word", []),
            (String(repeating: "a", count: 257), "word", []),
            ("ida", "", []), ("ida", String(repeating: "a", count: 1_025), []), ("ida", "word", [""]),
            ("ida", "word", ["a\u{0}"]), ("ida", "word", Array(repeating: "a", count: 65)),
        ] as [(String, String, [String])]
    )
    func refusesEntries(name: String, password: String, roles: [String]) throws {
        let error = try #require(throws: StorageError.self) {
            try ListenerUsers.fileEntry(name: name, password: password, roles: roles)
        }
        #expect(error.code == .badParameter && (password.isEmpty || !error.message.contains(password)))
    }
}
