import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// Who has not the key learns nothing but that: a wrong one is a 401, whatever else is wrong with what is asked for.
@Suite("A wrong key is told of before anything else")
struct WrongKeyTests {
    private let folder: Folder
    private let wrong: String
    private let new: String

    init() throws {
        folder = try Folder()
        wrong = try folder.keyFile("wrong", TestKey.other)
        new = try folder.keyFile("new", "hex:" + String(repeating: "5a6b", count: 16))
    }

    /// What is asked for, beside the database and its key.
    private func requests() -> [[String]] {
        let targets = ["lmdb", "sqlite", "sqlcipher", "memory", "rocksdb"]
        let ways: [[String]] = [
            [], ["--decrypt"], ["--new-key-file", new], ["--compression", "lz4"],
            ["--new-key-file", new, "--compression", "lz4"], ["--decrypt", "--compression", "lz4"],
        ]
        let migrations = targets.flatMap { target in
            ways.flatMap { way in
                [["migrate", "--to", target] + way, ["migrate", "--to", target, "--dry-run"] + way]
            }
        }
        return migrations + [
            ["rekey"], ["rekey", "--new-key-file", new], ["rekey", "--rotate"],
            ["rekey", "--rotate", "--new-key-file", new], ["rekey", "--decrypt"],
        ]
    }

    @Test("migrate and rekey, asked for anything, with a wrong key and with none")
    func commands() throws {
        let db = try folder.encrypted()
        let before = try folder.state("db").filter { !$0.hasPrefix("holders") }
        for request in requests() {
            for key in [["--key-file", wrong], []] {
                let arguments = [request[0], db] + request.dropFirst() + key + ["--json"]
                let outcome = try Child(arguments, input: [], environment: [:]).wait()
                #expect(outcome.status == 1, "\(arguments)")
                #expect(try outcome.error().status == 401, "\(arguments): \(outcome.errors)")
            }
        }
        #expect(try folder.state("db").filter { !$0.hasPrefix("holders") } == before)
    }

    @Test("Opening as another type", arguments: [.lmdb, .sqlite, .sqlcipher, .memory] as [StorageType])
    func opening(type: StorageType) throws {
        let db = try folder.encrypted()
        let bytes = TestKey.otherBytes
        for decrypt in [false, true] {
            for compression in [nil, .lz4] as [Compression?] {
                var options = DatabaseOptions(storageType: type, create: false)
                options.key = try StorageKey(bytes: bytes.span.bytes)
                options.decrypt = decrypt
                options.compression = compression
                let error = #expect(throws: StorageError.self) {
                    try Database.open(at: URL(filePath: db, directoryHint: .isDirectory), options: options).close()
                }
                #expect(error?.code == .unauthorized, "decrypt: \(decrypt), \(compression as Any): \(error as Any)")
            }
        }
    }
}
