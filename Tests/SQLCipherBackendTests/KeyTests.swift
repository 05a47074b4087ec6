internal import Foundation
internal import SetteeSQLCipher
internal import StorageProtocol
internal import Testing

/// Only the right key opens a store, and nothing is ever plain.
@Suite(.disabled(if: isSanitized, "a sanitizer lets no second SQLite in"))
struct KeyTests {
    @Test func wrongKeysAreRefusedAndChangeNothing() throws {
        let store = try CipherStore()
        let engine = try store.open()
        try engine.write { (tx) throws(StorageError) in try tx.insert("a", body(1, length: 10)) }
        engine.close()
        let before = try store.files
        let times = try FileManager.default.attributesOfItem(atPath: store.path)[.modificationDate] as? Date
        let factory = SQLCipherEngineFactory()
        var random = SystemRandomNumberGenerator()
        for number in 0..<10_000 {
            var bytes = [UInt8](repeating: CipherStore.keyByte, count: StorageKey.rawLength)
            if number < 256 {
                // One bit off.
                bytes[number / 8] ^= 1 << UInt8(number % 8)
            } else {
                for place in bytes.indices { bytes[place] = random.next() }
            }
            let key = try unsafe StorageKey(bytes: bytes.span.bytes)
            let options = StorageOptions(create: number % 2 == 0, readOnly: number % 2 == 1, key: key)
            #expect(code { try factory.open(directory: store.directory, options: options).close() } == .unauthorized)
        }
        #expect(try store.files == before)
        #expect(try FileManager.default.attributesOfItem(atPath: store.path)[.modificationDate] as? Date == times)
    }

    /// A process that was killed leaves its log: that too is only examined, not moved into the file.
    @Test func wrongKeysLeaveALogAsItIs() throws {
        let store = try CipherStore()
        let engine = try store.open()
        try engine.write { (tx) throws(StorageError) in try tx.insert("a", body(1, length: 10)) }
        let left = try CipherStore()
        for (name, content) in try store.files {
            try content.write(to: URL(fileURLWithPath: left.directory + "/" + name))
        }
        engine.close()
        let before = try left.files
        #expect(before.keys.contains("db.sqlite3-wal"))
        for key in [nil, try rawKey(1)] {
            let options = StorageOptions(create: true, key: key)
            let found = code { try SQLCipherEngineFactory().open(directory: left.directory, options: options).close() }
            #expect(found == .unauthorized)
        }
        #expect(try left.files == before)
        let again = try left.open()
        #expect(try again.read { (now) throws(StorageError) in try now.counters().liveDocuments } == 1)
        again.close()
    }

    @Test func otherKindsOfKeysAreRefused() throws {
        let store = try CipherStore()
        let factory = SQLCipherEngineFactory()
        let passphrase = StorageOptions(create: true, key: try StorageKey(passphrase: "secret"))
        #expect(code { try factory.open(directory: store.directory, options: passphrase).close() } == .badParameter)
        let none = StorageOptions(create: true)
        #expect(code { try factory.open(directory: store.directory, options: none).close() } == .unauthorized)
        #expect(try store.files.isEmpty)
    }

    /// The same for a second opening of an open store, which must not read the first page.
    @Test func anotherKeyOfAStoreThatIsOpen() throws {
        let store = try CipherStore()
        let engine = try store.open()
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in try tx.insert("a", body(1, length: 10)) }
        let other = StorageOptions(key: try rawKey(7))
        let found = code { try SQLCipherEngineFactory().open(directory: store.directory, options: other).close() }
        #expect(found == .unauthorized)
        let same = try store.open()
        #expect(try same.everything() == engine.everything())
        same.close()
    }

    @Test func settingsAreTold() throws {
        let store = try CipherStore()
        let engine = try store.open()
        defer { engine.close() }
        let details = Dictionary(uniqueKeysWithValues: try engine.statistics().details.map { ($0.name, $0.value) })
        #expect(details["cipher"] == "aes-256-cbc")
        #expect(details["cipherHMAC"] == "hmac-sha1")
        #expect(details["pageSize"] == "4096" && details["cipherPageSize"] == "4096")
        #expect(details["cipherReserve"] == "48")
    }

    static let shell = ["/usr/bin/sqlcipher", "/usr/local/bin/sqlcipher", "/opt/homebrew/bin/sqlcipher"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test(.enabled(if: shell != nil, "needs the sqlcipher shell"))
    func theShellReadsIt() throws {
        let store = try CipherStore()
        let engine = try store.open()
        try engine.write { (tx) throws(StorageError) in
            for number in 0..<200 { try tx.insert(name(number), body(number, length: number * 30)) }
        }
        engine.close()
        let key = String(repeating: "5e", count: 32)
        let said = try run(
            """
            PRAGMA key = "x'\(key)'"; PRAGMA cipher_page_size = 4096; SELECT count(*) FROM documents;
            SELECT body FROM documents WHERE id = '\(name(199))'; PRAGMA integrity_check; PRAGMA user_version;
            """,
            store.path
        )
        #expect(said.suffix(4) == ["200", String(decoding: body(199, length: 5970), as: UTF8.self), "ok", "1"])
    }

    private func run(_ sql: String, _ path: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.shell))
        process.arguments = ["-batch", path]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(sql.utf8))
        try input.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
