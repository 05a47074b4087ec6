import Crypto
import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeSQLite

/// A refused opening changes nothing; and the options for an open database are checked like those of its first opening.
@Suite struct RefusedOpeningTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url.appending(path: "db").path }
    private var url: URL { URL(fileURLWithPath: path) }

    init() throws { folder = try TemporaryFolder() }

    /// A database with a document, closed.
    private func make(_ type: StorageType, compression: Compression? = nil) throws {
        let database = try Database.open(
            at: url,
            options: DatabaseOptions(storageType: type, compression: compression, compactionThreshold: nil)
        )
        try database["a"].put(["n": 1])
        try database.close()
    }

    /// Names, sizes, contents and times of change of everything in the folder, and of the folder itself.
    private func digest() throws -> [String: String] {
        var entries: [String: String] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) + ["."] {
            var facts = stat()
            try #require(lstat(path + "/" + name, &facts) == 0)
            let data = facts.st_mode & S_IFMT == S_IFREG ? try Data(contentsOf: url.appending(path: name)) : Data()
            #if os(Linux)
            let time = "\(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
            #else
            let time = "\(facts.st_mtimespec.tv_sec).\(facts.st_mtimespec.tv_nsec)"
            #endif
            entries[name] = "\(facts.st_ino) \(facts.st_mode) \(facts.st_size) \(time) \(SHA256.hash(data: data))"
        }
        return entries
    }

    private func expectRefusal(
        _ code: StorageError.Code,
        _ options: DatabaseOptions,
        engines: [any StorageEngineFactory] = BuiltInEngines.all,
        _ comment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for readOnly in [false, true] {
            var options = options
            options.readOnly = readOnly
            let before = try digest()
            expectError(code, "\(comment), read-only: \(readOnly)", sourceLocation: sourceLocation) {
                try Database.open(at: url, options: options, engines: engines).close()
            }
            let after = try digest()
            let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
            #expect(changed.isEmpty, "\(comment), read-only: \(readOnly)", sourceLocation: sourceLocation)
        }
    }

    /// Other states that a folder may be in.
    enum State: String, CaseIterable {
        case whole, withoutLockFiles, withStaleManifest, withoutManifestCopy, withLeftovers
    }

    private func bring(into state: State, _ type: StorageType) throws {
        let manager = FileManager.default
        switch state {
        case .whole: break
        case .withoutLockFiles:
            for name in ["gate", "lock", "writer"] { try manager.removeItem(atPath: path + "/" + name) }
            try manager.removeItem(atPath: path + "/holders")
            try? manager.removeItem(atPath: path + "/data-000001/lock.mdb")
        case .withStaleManifest:
            // A compaction raises the serial; the old text comes back as the copy.
            let old = try Data(contentsOf: url.appending(path: "manifest.json"))
            let database = try Database.open(
                at: url,
                options: DatabaseOptions(storageType: type)
            )
            try database.compact()
            try database.close()
            try old.write(to: url.appending(path: "manifest-copy.json"))
        case .withoutManifestCopy: try manager.removeItem(atPath: path + "/manifest-copy.json")
        case .withLeftovers:
            try manager.createDirectory(atPath: path + "/data-000009", withIntermediateDirectories: false)
            try Data().write(to: url.appending(path: ".settee-generation-data-000009"))
            try Data().write(to: url.appending(path: "holders/0123456789abcdef0123456789abcdef"))
        }
    }

    @Test(arguments: Storage.everyPlainPersistent, State.allCases)
    func wishesThatCannotBeHad(type: StorageType, state: State) throws {
        try make(type)
        try bring(into: state, type)
        let other: StorageType = type == .sqlite ? .lmdb : .sqlite
        try expectRefusal(
            .invalidStorageType,
            DatabaseOptions(storageType: other, onMismatch: .fail),
            "another type"
        )
        try expectRefusal(.invalidStorageType, DatabaseOptions(), engines: [Storage.factory(other)], "no engine")
        let key = try StorageKey(passphrase: "secret")
        // There is a type for encrypted SQLite databases.
        try expectRefusal(type == .sqlite ? .badParameter : .notImplemented, DatabaseOptions(key: key), "a key")
        let unknown = Compression(rawValue: "of tomorrow")
        try expectRefusal(.notImplemented, DatabaseOptions(compression: unknown), "an unknown compression")
        try expectRefusal(
            type == .lmdb ? .badParameter : .notImplemented,
            DatabaseOptions(compression: .lz4),
            "another compression"
        )
        let durability = Durability(rawValue: "for ever")
        try expectRefusal(.notImplemented, DatabaseOptions(durability: durability), "an unknown durability")
        let database = try Database.open(at: url)
        #expect(try database["a"].revision() != nil)
        try database.close()
    }

    @Test(arguments: Storage.everyPlainPersistent)
    func formatsOfTomorrow(type: StorageType) throws {
        try make(type)
        let text = try String(contentsOf: url.appending(path: "manifest.json"), encoding: .utf8)
        for member in ["minReader", "minWriter"] {
            var changed = String(text[..<(try #require(text.range(of: ",\"checksum\""))).lowerBound])
            changed = changed.replacingOccurrences(of: "\"\(member)\":1", with: "\"\(member)\":9")
            let sum = SHA256.hash(data: Data(changed.utf8)).map { String(format: "%02x", $0) }.joined()
            let data = Data((changed + ",\"checksum\":\"\(sum)\"}\n").utf8)
            try data.write(to: url.appending(path: "manifest.json"))
            try Data(text.utf8).write(to: url.appending(path: "manifest-copy.json"))
            if member == "minReader" {
                try data.write(to: url.appending(path: "manifest-copy.json"))
                try expectRefusal(.unsupportedFormat, DatabaseOptions(), "a newer folder")
            } else {
                try data.write(to: url.appending(path: "manifest-copy.json"))
                let before = try digest()
                expectError(.unsupportedFormat) { try Database.open(at: url) }
                #expect(try digest() == before)
            }
        }
        for name in ["manifest.json", "manifest-copy.json"] { try Data(text.utf8).write(to: url.appending(path: name)) }
        let database = try Database.open(at: url)
        #expect(try database["a"].revision() != nil)
        try database.close()
    }

    /// The format that a data file itself has. RocksDB's files have checksums.
    @Test(arguments: [StorageType.sqlite, .lmdb])
    func dataFilesOfTomorrow(type: StorageType) throws {
        try make(type)
        let file = url.appending(path: type == .sqlite ? "data-000001/db.sqlite3" : "data-000001/data.mdb")
        let sound = try Data(contentsOf: file)
        var changed = sound
        if type == .sqlite {
            changed[63] = 99
        } else {
            // The entry `format` of the table `meta`: its key, then the version.
            let key = try #require(sound.range(of: Data("format".utf8) + Data([1])))
            var from = sound.startIndex
            while let found = sound.range(of: Data("format".utf8) + Data([1]), in: from..<sound.endIndex) {
                changed[found.upperBound - 1] = 99
                from = found.upperBound
            }
            #expect(!key.isEmpty)
        }
        try changed.write(to: file)
        try expectRefusal(.unsupportedFormat, DatabaseOptions(), "a newer data file")
        try Data(repeating: 0x5A, count: 65_536).write(to: file)
        try expectRefusal(.corrupt, DatabaseOptions(), "a data file of something else")
        try sound.write(to: file)
        let database = try Database.open(at: url)
        #expect(try database["a"].revision() != nil)
        try database.close()
    }

    /// A newer program changed the format, and ended before its log was moved into the file.
    @Test(arguments: [true, false])
    func formatsOfTomorrowInALog(keepingIndex: Bool) throws {
        try make(.sqlite)
        let data = url.appending(path: "data-000001")
        let aside = folder.url.appending(path: "aside")
        try FileManager.default.copyItem(at: data, to: aside)
        let raw = try Connection(aside.appending(path: "db.sqlite3").path, flags: 2, library: .linked())
        try raw.execute("PRAGMA user_version = 9")
        for suffix in keepingIndex ? ["-wal", "-shm"] : ["-wal"] {
            let name = "db.sqlite3" + suffix
            try? FileManager.default.removeItem(at: data.appending(path: name))
            try FileManager.default.copyItem(at: aside.appending(path: name), to: data.appending(path: name))
        }
        raw.close()
        for state in [State.whole, .withLeftovers, .withoutLockFiles] {
            try bring(into: state, .sqlite)
            try expectRefusal(.unsupportedFormat, DatabaseOptions(), "\(state)")
        }
    }

    @Test(arguments: Storage.persistent)
    func aRefusedCreationMakesNothing(type: StorageType) throws {
        var wishes: [DatabaseOptions] = []
        if type == .lmdb {
            wishes.append(DatabaseOptions(storageType: type, key: try StorageKey(passphrase: "secret")))
        }
        wishes.append(DatabaseOptions(storageType: type, compression: Compression(rawValue: "of tomorrow")))
        wishes.append(DatabaseOptions(storageType: type, durability: Durability(rawValue: "for ever")))
        for wish in wishes {
            expectError(.notImplemented) { try Database.open(at: url, options: wish) }
        }
        expectError(.invalidStorageType) {
            try Database.open(at: url, options: DatabaseOptions(storageType: .memory))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    /// Reuse used to depend on type and compression only.
    @Test(arguments: Storage.everyPlain)
    func whatIsOpenIsJudgedAlike(type: StorageType) throws {
        let manager = try Manager(directory: folder.url)
        let database = try manager.database(
            named: "db",
            options: DatabaseOptions(storageType: type, durability: .normal)
        )
        func refuse(_ code: StorageError.Code, _ change: (inout DatabaseOptions) throws -> Void) throws {
            var options = DatabaseOptions(durability: .normal)
            try change(&options)
            expectError(code) { try manager.database(named: "db", options: options) }
        }
        try refuse(type == .sqlite ? .badParameter : .notImplemented) {
            $0.key = try StorageKey(passphrase: "secret")
        }
        try refuse(.notImplemented) { $0.compression = Compression(rawValue: "of tomorrow") }
        try refuse(.notImplemented) { $0.durability = Durability(rawValue: "for ever") }
        try refuse(type == .lmdb ? .badParameter : .notImplemented) { $0.compression = .lz4 }
        try refuse(.invalidStorageType) { $0.storageType = type == .sqlite ? .lmdb : .sqlite }
        #expect(try manager.database(named: "db", options: DatabaseOptions(durability: .normal)) === database)
        try manager.close()
    }
}
