import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// Killing the process loses nothing that it has written: an hour of copying need not be repeated.
@Suite(
    "A killed migration is resumed",
    .serialized,
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct ResumedMigrationTests {
    private let folder: Folder
    private let file: String

    init() throws {
        folder = try Folder()
        file = try folder.keyFile()
    }

    #if RocksDB
    private static let rocksDBPairs = [("rocksdb", "lmdb"), ("lmdb", "rocksdb")]
    #else
    private static let rocksDBPairs: [(String, String)] = []
    #endif

    @Test(arguments: [("sqlite", "lmdb"), ("lmdb", "sqlite"), ("sqlite", "sqlcipher")] + rocksDBPairs)
    func goesOn(source: String, target: String) throws {
        let (db, digest) = try killed(source, target)
        let before = generation()
        let names = try folder.entries("db")
        try #require(before != nil, "\(names)")
        let files = FileManager.default.enumerator(at: folder.url("db/data-000002"), includingPropertiesForKeys: nil)
        let sizes = try (files?.compactMap { $0 as? URL } ?? []).map { file in
            try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        }
        // RocksDB compresses it.
        #expect(sizes.reduce(0, +) > (target == "rocksdb" ? 200_000 : 3 << 20), "much of it was copied")
        // Opening it for writing, or reading from it, keeps what is there.
        try open(db, source).close()
        #expect(generation() == before)
        let done = try migrate(db, source, target)
        #expect(done["resumed"]?.boolValue == true)
        #expect(done["documents"]?.intValue == 700)
        #expect(generation() == before, "the same folder was filled on")
        try expectWhole(db, target, digest)
    }

    /// The copy of the damaged log went along, and the new database called itself damaged for ever.
    @Test("It starts over where the log of the copy is damaged")
    func damagedLog() throws {
        let (db, digest) = try killed("lmdb", "sqlite")
        let name = "db/data-000002/db.sqlite3-wal"
        var log = try folder.bytes(name)
        try #require(log.count > 100_000)
        // The page of a frame of a transaction that others continue.
        log[log.count / 2] ^= 4
        try Data(log).write(to: folder.url(name))
        _ = try migrate(db, "lmdb", "sqlite")
        #expect(try Program.run("check", db).status == 0)
        #expect(try Program.run("export", db).status == 0)
        try expectWhole(db, "sqlite", digest)
    }

    @Test("It starts over after a commit", arguments: [("sqlite", "lmdb"), ("lmdb", "sqlite")])
    func afterACommit(source: String, target: String) throws {
        let (db, _) = try killed(source, target)
        try Program.succeed("put", db, "new", "{}")
        let done = try migrate(db, source, target)
        #expect(done["resumed"]?.boolValue == false)
        #expect(try Program.run("ls", db, "--json").expectSuccess().text.contains(#""new""#))
        try expectWhole(db, target, nil)
    }

    @Test("Contents that were encrypted before the kill are not encrypted again")
    func attachments() throws {
        let original = folder.path("original")
        let digest = try fill(original, "sqlite", 100)
        let command = try TracedCommand(folder: folder) { migration($0, "sqlite", "sqlcipher") }
        let db = try command.kill(original, whileNaming: "blobs-000002/.settee-staging-")
        #expect(try folder.entries("db").contains(".settee-conversion"))
        #expect(try folder.entries("db/data-000002") == [], "no data was copied yet")
        #expect(try migrate(db, "sqlite", "sqlcipher")["resumed"]?.boolValue == true)
        try expectWhole(db, "sqlcipher", digest)
    }

    /// A partial content with a flipped byte was considered complete, and the original was removed.
    @Test("A content that was damaged since is copied again", arguments: ["sqlite", "sqlcipher"])
    func damagedContent(source: String) throws {
        let original = folder.path("original")
        let digest = try fill(original, source, 100)
        let other = try folder.keyFile("other", TestKey.other)
        let arguments = { (db: String) in
            source == "sqlite"
                ? migration(db, "sqlite", "sqlcipher")
                : ["rekey", db, "--rotate", "--key-file", file, "--new-key-file", other]
        }
        let db = try TracedCommand(folder: folder, arguments: arguments)
            .kill(original, whileNaming: "data-000002/db.sqlite3")
        let contents = try folder.entries("db/blobs-000002").flatMap { group in
            try folder.entries("db/blobs-000002/" + group).map { "db/blobs-000002/\(group)/\($0)" }
        }
        try #require(contents.count == 3)
        for name in contents {
            var bytes = try folder.bytes(name)
            bytes[bytes.count / 2] ^= 1
            try Data(bytes).write(to: folder.url(name))
        }
        let again = try Child(arguments(db) + ["--json"], input: [], environment: [:]).wait()
        #expect(try again.expectSuccess().object()["resumed"]?.boolValue == true)
        let bytes = TestKey.otherBytes
        let key = source == "sqlite" ? nil : try StorageKey(bytes: bytes.span.bytes)
        try expectWhole(db, "sqlcipher", digest, key: key)
    }

    @Test("A key rotation is resumed too")
    func rotation() throws {
        let original = folder.path("original")
        let digest = try fill(original, "sqlcipher", 100)
        let other = try folder.keyFile("other", TestKey.other)
        let rotation = { ["rekey", $0, "--rotate", "--key-file", file, "--new-key-file", other] }
        let db = try TracedCommand(folder: folder, arguments: rotation)
            .kill(original, afterNaming: ".settee-conversion")
        let again = try Child(rotation(db) + ["--json"], input: [], environment: [:]).wait()
        #expect(try again.expectSuccess().object()["resumed"]?.boolValue == true)
        #expect(try Child(["ls", db, "--key-file", file], input: [], environment: [:]).wait().status == 1)
        let bytes = TestKey.otherBytes
        try expectWhole(db, "sqlcipher", digest, key: try StorageKey(bytes: bytes.span.bytes))
    }

    @Test("It starts over with another key")
    func anotherKey() throws {
        let (db, digest) = try killed("sqlite", "sqlcipher", documents: 100)
        let other = try folder.keyFile("other", TestKey.other)
        let outcome = try Child(
            ["migrate", db, "--to", "sqlcipher", "--new-key-file", other, "--json"],
            input: [],
            environment: [:]
        ).wait()
        #expect(try outcome.expectSuccess().object()["resumed"]?.boolValue == false)
        #expect(try Child(["ls", db, "--key-file", file], input: [], environment: [:]).wait().status == 1)
        let bytes = TestKey.otherBytes
        try expectWhole(db, "sqlcipher", digest, key: try StorageKey(bytes: bytes.span.bytes))
    }

    /// The file may come from anywhere, like the rest of the folder.
    @Test(
        "It starts over if the file is damaged or missing",
        arguments: [
            "echo x > $f", ": > $f", "rm $f", "rm $f; mkfifo $f", "rm $f; ln -s $PWD/victim $f", "rm $f; mkdir $f",
            "cp $f victim; rm $f; ln -s $PWD/victim $f", "truncate -s 1G $f",
            "printf x | dd of=$f bs=1 seek=70 conv=notrunc",
            "rm db/data-000002/*", "truncate -s 8192 db/data-000002/*",
            "rm db/data-000002/*; mkfifo db/data-000002/db.sqlite3",
            "rm db/data-000002/*; ln -s $PWD/victim db/data-000002/db.sqlite3",
            "mv db/data-000002 x; ln -s $PWD/x db/data-000002",
        ]
    )
    func hostile(_ change: String) throws {
        let (db, digest) = try killed("lmdb", "sqlite", documents: 100)
        _ = try folder.file("victim", "mine")
        #expect(try Program.shell("f=db/.settee-conversion; " + change, in: folder).status == 0)
        let victim = try folder.bytes("victim")
        let done = try migrate(db, "lmdb", "sqlite")
        let isLink = change.contains("x; ln -s")
        #expect(done["resumed"]?.boolValue == (change == "rm db/data-000002/*"), "\(change)")
        #expect(try folder.bytes("victim") == victim)
        if isLink { #expect(try folder.entries("x") != []) }
        try expectWhole(db, "sqlite", digest, isLeft: isLink || change.hasSuffix("mkdir $f"))
    }

    /// The checksum is correct each time.
    @Test(
        "What the file says about keys is only trusted with its MAC",
        arguments: [
            ("s/,/,/", true), (#"s/"salt":"..../"salt":"AAAA/"#, false), (#"s/"mac":"..../"mac":"0000/"#, false),
            (#"s/"iterations"/"iteration"/; s/"keySlots":.*,"encryption"/"keySlots":[],"encryption"/"#, false),
            (#"s/,"mac".*$//"#, false), (#"s/"boot":"......../"boot":"00000000/"#, false),
        ]
    )
    func forged(_ edit: String, _ isRight: Bool) throws {
        let (db, digest) = try killed("sqlite", "sqlcipher", documents: 100)
        let script = """
            f=db/.settee-conversion
            body=$(head -c -80 $f | sed '\(edit)')
            sum=$(printf %s "$body" | sha256sum | cut -c1-64)
            printf '%s,"checksum":"%s"}\\n' "$body" "$sum" > $f
            """
        #expect(try Program.shell(script, in: folder).status == 0)
        #expect(try migrate(db, "sqlite", "sqlcipher")["resumed"]?.boolValue == isRight)
        try expectWhole(db, "sqlcipher", digest)
    }

    @Test("Nothing else is affected by what was left")
    func others() throws {
        let (db, digest) = try killed("sqlite", "sqlcipher", documents: 100)
        try Program.succeed("copy", db, folder.path("copy"))
        try Program.succeed("compact", db)
        // It no longer has the old revisions.
        try expectWhole(db, "sqlite", nil)
        try expectWhole(folder.path("copy"), "sqlite", digest)
    }

    // MARK: - Support

    /// A database of some MB, whose migration was killed in the middle.
    private func killed(_ source: String, _ target: String, documents: Int = 700) throws -> (db: String, digest: String)
    {
        let original = folder.path("original")
        let digest = try fill(original, source, documents)
        let command = try TracedCommand(folder: folder) { migration($0, source, target) }
        let db = try command.kill(original, afterNaming: ".settee-conversion")
        #expect(try folder.entries("db").contains(".settee-conversion"))
        return (db, digest)
    }

    private func migration(_ db: String, _ source: String, _ target: String) -> [String] {
        var arguments = ["migrate", db, "--to", target] + key(source)
        if source == "sqlcipher" { arguments.append("--decrypt") }
        if target == "sqlcipher" { arguments += ["--new-key-file", file] }
        return arguments
    }

    private func key(_ type: String) -> [String] { type == "sqlcipher" ? ["--key-file", file] : [] }

    private func migrate(_ db: String, _ source: String, _ target: String) throws -> JSONObject {
        let arguments = migration(db, source, target) + ["--json"]
        return try Child(arguments, input: [], environment: [:]).wait().expectSuccess().object()
    }

    /// The inode of the next generation's folder; nil if there is none.
    private func generation() -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path("db/data-000002"))
        return attributes?[.systemFileNumber] as? Int
    }

    private func storageKey(_ type: String) throws -> StorageKey? {
        let bytes = TestKey.bytes
        return type == "sqlcipher" ? try StorageKey(bytes: bytes.span.bytes) : nil
    }

    private func open(_ db: String, _ type: String, key: StorageKey? = nil) throws -> Database {
        let options = DatabaseOptions(create: false, key: try key ?? storageKey(type), compactionThreshold: nil)
        return try Database.open(at: URL(filePath: db), options: options)
    }

    private func expectWhole(
        _ db: String,
        _ type: String,
        _ digest: String?,
        isLeft: Bool = false,
        key: StorageKey? = nil
    ) throws {
        let database = try open(db, type, key: key)
        #expect(database.storageType.name == type)
        if let digest { #expect(try database.contentDigest() == digest) }
        #expect(try database.check().map(\.description) == [])
        try database.close()
        if !isLeft { try expectNothingLeft() }
    }

    private func expectNothingLeft() throws {
        let left = try folder.entries("db").filter { name in
            ["data-", "blobs-", ".settee"].contains { name.hasPrefix($0) }
        }
        #expect(left.count == 2, "\(left)")
    }

    /// - Returns: the digest of the content.
    private func fill(_ path: String, _ type: String, _ documents: Int) throws -> String {
        let options = DatabaseOptions(
            storageType: try StorageType(type),
            durability: .normal,
            key: try storageKey(type),
            compactionThreshold: nil
        )
        let database = try Database.open(at: URL(filePath: path), options: options)
        try database.inTransaction {
            for number in 0..<documents {
                let text = String(repeating: "text \(number) ", count: 1_800)
                try database["d\(number)"].put(["n": JSONValue(number), "text": .string(text)])
            }
            try database["_local/a"].put(["n": 1])
        }
        for number in 0..<3 {
            let content = [UInt8](repeating: UInt8(number), count: number * 1_500_000)
            try database["d\(number)"].setAttachment(named: "file", content: content)
        }
        let view = database.view("by-n")
        try view.define(ViewDefinition(keys: [JSONPointer("/n")], reduce: "_count"))
        try view.updateIndex()
        let digest = try database.contentDigest()
        try database.close()
        return digest
    }
}
