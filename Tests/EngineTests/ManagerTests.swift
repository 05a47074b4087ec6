import Foundation
import Settee
import SetteeTestSupport
import Testing

/// A manager opens, lists and deletes the databases of a directory.
@Suite struct ManagerTests {
    @Test func theDirectoryIsMadeWithItsParents() throws {
        let folder = try TemporaryFolder()
        let deep = folder.url.appending(path: "a/b c/é/d")
        _ = try Manager(directory: deep)
        #expect(try deep.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true)
        _ = try Manager(directory: deep)
    }

    @Test func aDirectoryThatCannotBeMadeIsAnError() throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try Data("x".utf8).write(to: file)
        expectError(.fileSystem) { try Manager(directory: file) }
        expectError(.fileSystem) { try Manager(directory: file.appending(path: "below")) }
        #expect(try Data(contentsOf: file) == Data("x".utf8))
    }

    @Test func onlyFileURLsAreDirectories() throws {
        let url = try #require(URL(string: "https://example.com/databases"))
        expectError(.badParameter) { try Manager(directory: url) }
        expectError(.badParameter) { try Database.open(at: url) }
    }

    @Test(arguments: Storage.everyPlain) func aDatabaseIsMadeListedAndDeleted(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        #expect(bed.database.name == "test")
        #expect(bed.database.storageType == type)
        #expect(try bed.manager.allDatabaseNames == ["test"])
        try bed.database["x"].put(["n": 1])
        try bed.manager.deleteDatabase(named: "test")
        #expect(try bed.manager.allDatabaseNames == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: bed.folder.url.path) == [])
        #expect(try bed.manager.existingDatabase(named: "test") == nil)
        let again = try bed.manager.database(named: "test")
        #expect(try again.documentCount == 0)
        #expect(try again.lastSequence == 0)
        try bed.manager.close()
    }

    @Test(arguments: Storage.everyPlain) func namesAreListedInTheOrderOfTheirBytes(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: type))
        for name in ["b", "a_", "a", "a0", "a/b", "ab", "a$"] { _ = try manager.database(named: name) }
        #expect(try manager.allDatabaseNames == ["a", "a$", "a/b", "a0", "a_", "ab", "b"])
        try manager.close()
    }

    @Test func whatIsNoDatabaseIsNotListed() throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url)
        for name in ["notes.txt", ".hidden", "Upper.settee", "settee", ".settee", "x.settee.bak"] {
            let path = folder.url.appending(path: name)
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
        }
        #expect(try manager.allDatabaseNames == [])
    }

    @Test(arguments: Storage.everyPlain) func withoutCreateOnlyWhatExistsIsOpened(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: type))
        expectError(.notFound) { try manager.database(named: "x", options: .init(create: false)) }
        #expect(try manager.existingDatabase(named: "x") == nil)
        #expect(try manager.allDatabaseNames == [])
        let made = try manager.database(named: "x")
        #expect(try manager.database(named: "x", options: .init(create: false)) === made)
        #expect(try manager.existingDatabase(named: "x") === made)
        try manager.close()
    }

    @Test(arguments: Storage.everyPlain) func openingTwiceGivesTheSameDatabase(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        #expect(try bed.manager.database(named: "test") === bed.database)
        #expect(try bed.manager.database(named: "test", options: .init(storageType: type)) === bed.database)
        try bed.manager.close()
    }

    @Test(arguments: Storage.everyPlainPersistent)
    func twoManagersAndSymbolicLinksGiveTheSameDatabase(_ type: StorageType) throws {
        let bed = try TestDatabase(type)
        let other = try Manager(directory: bed.folder.url)
        #expect(try other.database(named: "test") === bed.database)

        let link = bed.folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: bed.folder.url)
        #expect(try Manager(directory: link).database(named: "test") === bed.database)

        let alias = bed.folder.url.appending(path: "alias.settee")
        let path = try #require(bed.database.path)
        try FileManager.default.createSymbolicLink(at: alias, withDestinationURL: URL(filePath: path))
        #expect(try other.database(named: "alias") === bed.database)
        #expect(try Database.open(at: alias) === bed.database)
        try bed.manager.close()
    }

    @Test(arguments: Storage.everyPlainPersistent)
    func manyThreadsThatOpenAtOnceGetOneDatabase(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let managers = try (0..<4).map { _ in try Manager(directory: folder.url, options: .init(storageType: type)) }
        try onThreads(8) { number in
            let database = try managers[number % 4].database(named: "shared", options: TestDatabase.options)
            try database["count"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) }
            try database["thread-\(number)"].put([:])
        }
        let database = try managers[0].database(named: "shared")
        #expect(try database["count"]["n"] == 8)
        #expect(try database.documentCount == 9)
        try database.close()
    }

    @Test(arguments: Storage.persistent)
    func whatWasSavedIsThereAfterClosingAndReopening(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let saved = try bed.database["x"].put(["n": 1])
            try bed.database["gone"].put([:])
            let tombstone = try bed.database["gone"].delete()
            try bed.database["purged"].put([:])
            try bed.database["purged"].purge()
            let before = (try bed.database.documentCount, try bed.database.lastSequence)
            let closed = bed.database
            try bed.reopen()
            #expect(bed.database !== closed)
            #expect(try bed.database["x"].read().id == saved.id)
            #expect(try bed.database["x"].read().text == #"{"n":1}"#)
            #expect(try bed.database["gone"].revision()?.id == tombstone.id)
            #expect(try bed.database["purged"].revision() == nil)
            #expect(try (bed.database.documentCount, bed.database.lastSequence) == before)
            #expect(before == (1, 5))
        }
    }

    @Test(arguments: Storage.everyPlainPersistent)
    func aDatabaseThatNobodyHoldsIsClosedAndCanBeOpenedAgain(_ type: StorageType) throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: type))
        for round in 1...20 {
            let database = try manager.database(named: "x", options: TestDatabase.options)
            try database["count"].update { $0["n"] = .int(($0["n"]?.intValue ?? 0) + 1) }
            #expect(try database["count"]["n"] == .int(Int64(round)))
        }
        try manager.deleteDatabase(named: "x")
    }

    @Test(arguments: Storage.everyPlain) func placesAreFileURLs(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            #expect(bed.manager.directory.isFileURL && bed.manager.directory.path == bed.folder.url.path)
            guard bed.isPersistent else { return #expect(bed.database.url == nil) }
            let url = try #require(bed.database.url)
            #expect(url.isFileURL && FileManager.default.fileExists(atPath: url.path))
            #expect(try Database.open(at: url, options: TestDatabase.options) === bed.database)
        }
    }
}
