import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Database names follow Couchbase Lite's rules, and none of them leads outside the manager's directory.
@Suite struct DatabaseNameTests {
    static let valid = [
        "a", "z", "library", "a0123456789", "a_$()+-/", "a/b/c", "a//b", "a/", "a-", "a$",
        String(repeating: "x", count: 239),
    ]
    static let invalid = [
        "", "A", "Library", "libRary", "0a", "_a", "/a", "-a", "$a", ".", "..", "../a", "a/../b", "a.b", "a b", "a:b",
        "a\\b",
        "a\0", "a\n", "é", "aé", "ａ", "a*", "a~", "a,b", "a\u{301}", String(repeating: "x", count: 240),
    ]

    @Test(arguments: valid) func validNamesAreAllowed(_ name: String) {
        #expect(Manager.isValidDatabaseName(name))
    }

    @Test(arguments: invalid) func otherNamesAreNot(_ name: String) {
        #expect(!Manager.isValidDatabaseName(name))
    }

    @Test(arguments: invalid) func otherNamesAreRefusedByEveryCall(_ name: String) throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: .memory))
        expectError(.badID) { try manager.database(named: name) }
        expectError(.badID) { try manager.deleteDatabase(named: name) }
        #expect(try manager.existingDatabase(named: name) == nil)
        #expect(try manager.allDatabaseNames == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test(arguments: valid, Storage.plain) func aDatabaseOfEveryValidNameCanBeUsed(
        _ name: String,
        _ type: StorageType
    ) throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url.appending(path: "databases"), options: .init(storageType: type))
        let database = try manager.database(named: name)
        #expect(database.name == name)
        try database["x"].put(["n": 1])
        #expect(try manager.allDatabaseNames == [name])
        #expect(try manager.existingDatabase(named: name) === database)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["databases"])
        try manager.deleteDatabase(named: name)
        #expect(try manager.allDatabaseNames == [])
    }

    @Test func namesThatDifferOnlyInSlashesAreDifferentDatabases() throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: .sqlite))
        let names = ["a", "a/b", "a//b", "a-b", "a_b"]
        for name in names { try manager.database(named: name)["name"].put(["is": .string(name)]) }
        try manager.close()
        #expect(try manager.allDatabaseNames == names.sorted { bytes($0).lexicographicallyPrecedes(bytes($1)) })
        for name in names { #expect(try manager.database(named: name)["name"]["is"] == .string(name)) }
        try manager.close()
    }
}
