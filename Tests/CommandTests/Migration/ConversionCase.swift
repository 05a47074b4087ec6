import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// One way in which the program rewrites a database or its keys: from one type to another, from one key to another.
struct ConversionCase: Sendable, CustomTestStringConvertible {
    var source: String
    var target: String
    /// What the raw keys begin with; nil: there is no key.
    var keys: (source: UInt8?, target: UInt8?)
    /// The program's arguments after the database's path.
    var command: [String]

    var testDescription: String { command.joined(separator: " ") + " of " + source }

    static let migrations = usualMigrations + rocksDBMigrations
    #if RocksDB
    private static let rocksDBMigrations = [
        ConversionCase(source: "rocksdb", target: "lmdb", keys: (nil, nil), command: ["migrate", "--to", "lmdb"]),
        ConversionCase(source: "lmdb", target: "rocksdb", keys: (nil, nil), command: ["migrate", "--to", "rocksdb"]),
    ]
    #else
    private static let rocksDBMigrations: [ConversionCase] = []
    #endif
    private static let usualMigrations = [
        ConversionCase(source: "sqlite", target: "lmdb", keys: (nil, nil), command: ["migrate", "--to", "lmdb"]),
        ConversionCase(source: "lmdb", target: "sqlite", keys: (nil, nil), command: ["migrate", "--to", "sqlite"]),
        ConversionCase(
            source: "sqlite",
            target: "sqlcipher",
            keys: (nil, 0xB2),
            command: ["migrate", "--to", "sqlcipher"]
        ),
        ConversionCase(
            source: "sqlcipher",
            target: "lmdb",
            keys: (0xA1, nil),
            command: ["migrate", "--to", "lmdb", "--decrypt"]
        ),
    ]
    static let keyChanges = [
        ConversionCase(source: "sqlcipher", target: "sqlcipher", keys: (0xA1, 0xB2), command: ["rekey"]),
        ConversionCase(source: "sqlcipher", target: "sqlcipher", keys: (0xA1, 0xB2), command: ["rekey", "--rotate"]),
        ConversionCase(source: "sqlcipher", target: "sqlite", keys: (0xA1, nil), command: ["rekey", "--decrypt"]),
        ConversionCase(source: "sqlite", target: "sqlcipher", keys: (nil, 0xB2), command: ["rekey"]),
    ]

    /// The program on a database in the folder, which gets files for the keys.
    func traced(in folder: Folder) throws -> TracedCommand {
        var options: [String] = []
        for (key, option) in [(keys.source, "--key-file"), (keys.target, "--new-key-file")] {
            guard let key else { continue }
            let digits = ConversionCase.rawKey(key).map { String(format: "%02x", $0) }.joined()
            options += [option, try folder.keyFile(option, "hex:" + digits)]
        }
        return try TracedCommand(folder: folder) { db in [command[0], db] + command.dropFirst() + options }
    }

    private static func rawKey(_ byte: UInt8) -> [UInt8] { (0..<UInt8(StorageKey.rawLength)).map { byte ^ $0 } }

    /// Opens the database with the key from before or the one from afterwards.
    func open(_ path: String, isDone: Bool, readOnly: Bool = false) throws -> Database {
        let byte = isDone ? keys.target : keys.source
        let bytes = byte.map(ConversionCase.rawKey)
        let key = try bytes.map { try StorageKey(bytes: $0.span.bytes) }
        return try Database.open(
            at: URL(filePath: path),
            options: DatabaseOptions(create: false, readOnly: readOnly, durability: .normal, key: key)
        )
    }

    /// In which states the database can be opened: before the conversion, and after it.
    func states(_ path: String) -> [Bool] {
        [false, true].filter { isDone in
            guard let database = try? open(path, isDone: isDone, readOnly: true) else { return false }
            defer { try? database.close() }
            return database.storageType.name == (isDone ? target : source)
        }
    }

    /// Makes a small database with a bit of everything.
    ///
    /// - Returns: the digest of its content.
    func fill(_ path: String) throws -> String {
        let bytes = keys.source.map(ConversionCase.rawKey)
        let options = DatabaseOptions(
            storageType: try StorageType(source),
            durability: .normal,
            key: try bytes.map { try StorageKey(bytes: $0.span.bytes) }
        )
        let database = try Database.open(at: URL(filePath: path), options: options)
        try database.inTransaction {
            for number in 0..<60 { try database["d\(number)"].put(["n": JSONValue(number)]) }
            for number in 0..<10 { try database["d\(number)"].delete() }
        }
        for number in 20..<23 {
            let content = [UInt8](repeating: UInt8(number), count: (number - 20) * 70_000)
            try database["d\(number)"].setAttachment(named: "file", content: content)
        }
        let view = database.view("by-n")
        try view.define(ViewDefinition(keys: [JSONPointer("/n")], reduce: "_count"))
        try view.updateIndex()
        let digest = try database.contentDigest()
        try database.close()
        return digest
    }

    /// Whether only the manifest is written.
    var isInstant: Bool { command == ["rekey"] && source == target }

    /// Opens the database, reads all of it, and writes to it.
    func expectWhole(_ db: String, isDone: Bool, _ digest: String, _ note: Comment) throws {
        let database = try open(db, isDone: isDone)
        #expect(database.storageType.name == (isDone ? target : source), note)
        #expect(try database.contentDigest() == digest, note)
        // A manifest beside that of an encrypted database that is plain, or has another data key, may be a forgery, so
        // `check` reports it when it is replaced.
        let isTold = !isDone && (command.contains("--decrypt") || command.contains("--rotate"))
        let problems = try database.check().map(\.description)
        #expect(problems.allSatisfy { isTold && $0.contains("a change of the key was interrupted") }, note)
        try database["new"].put(["n": 1])
        try database.close()
        let again = try open(db, isDone: isDone)
        #expect(try again.check().map(\.description) == [], note)
        try again.close()
        // A write decides which database it is. What a later run could have resumed is removed at the next opening.
        try open(db, isDone: isDone).close()
        #expect(states(db) == [isDone], note)
        try expectNothingLeft(db, note)
    }

    func expectNothingLeft(_ db: String, _ note: Comment) throws {
        let left = try FileManager.default.contentsOfDirectory(atPath: db).filter { name in
            ["data-", "blobs-", ".settee"].contains { name.hasPrefix($0) }
        }
        #expect(left.count == 2, "\(note): \(left)")
    }
}
