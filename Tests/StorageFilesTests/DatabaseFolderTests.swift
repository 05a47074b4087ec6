import Foundation
import SetteeStorageFiles
import StorageProtocol
import Testing

@Suite("Making, opening and deleting a database folder")
struct DatabaseFolderTests {
    @Test func makesACompleteFolder() throws {
        let home = try TemporaryFolder()
        try DatabaseFolder.create(
            at: home.database,
            members: ManifestMembers(storageType: .lmdb, databaseUUID: "ab-12")
        ) { _ in }
        #expect(
            try home.names(in: home.database)
                == [
                    "blobs-000001", "data-000001", "gate", "holders", "lock", "manifest-copy.json", "manifest.json",
                    "writer",
                ]
        )
        #expect(try home.names() == ["library.settee"])
        let folder = try DatabaseFolder.open(at: home.database)
        #expect(folder.storageType == .lmdb)
        #expect(folder.databaseUUID == "ab-12")
        #expect(folder.dataDirectory == home.database + "/data-000001")
        #expect(folder.blobDirectory == home.database + "/blobs-000001")
        #expect(folder.access == .readWrite)
        #expect(try folder.bytesOnDisk() > 0)
        #expect(try DiskSpace.free(at: home.path) > 0)
    }

    @Test func leavesNothingWhereThePreparationFails() throws {
        let home = try TemporaryFolder()
        try failure(.full) {
            try DatabaseFolder.create(at: home.database, members: ManifestMembers(storageType: .sqlite)) {
                (data) throws(StorageError) in
                try write("half", to: data + "/db")
                throw StorageError(.full, "no more")
            }
        }
        #expect(try home.names().isEmpty)
    }

    @Test(arguments: ["database", "file", "empty folder", "dangling link"])
    func replacesNothing(_ kind: String) throws {
        let home = try TemporaryFolder()
        switch kind {
        case "database": try home.makeDatabase()
        case "file": try write("mine", to: home.database)
        case "empty folder":
            try FileManager.default.createDirectory(atPath: home.database, withIntermediateDirectories: false)
        default: try FileManager.default.createSymbolicLink(atPath: home.database, withDestinationPath: "/nowhere")
        }
        try failure(.exists) {
            try DatabaseFolder.create(at: home.database, members: ManifestMembers(storageType: .sqlite)) { _ in }
        }
        #expect(try home.names() == ["library.settee"])
    }

    @Test func replacesNothingThatAppearsMeanwhile() throws {
        let home = try TemporaryFolder()
        try failure(.exists) {
            try DatabaseFolder.create(at: home.database, members: ManifestMembers(storageType: .sqlite)) {
                (_) throws(StorageError) in
                try write("mine", to: home.database)
            }
        }
        #expect(try home.names() == ["library.settee"])
        #expect(try text(of: home.database) == "mine")
    }

    @Test func refusesImpossiblePaths() throws {
        let home = try TemporaryFolder()
        try failure(.badParameter) {
            try DatabaseFolder.create(at: "", members: ManifestMembers(storageType: .sqlite)) { _ in }
        }
        try failure(.badParameter) {
            try DatabaseFolder.create(at: "/", members: ManifestMembers(storageType: .sqlite)) { _ in }
        }
        try failure(.badParameter) {
            try DatabaseFolder.create(at: home.path + "/..", members: ManifestMembers(storageType: .sqlite)) { _ in }
        }
        try failure(.badParameter) {
            try DatabaseFolder.create(at: home.path + "/a\0b", members: ManifestMembers(storageType: .sqlite)) { _ in }
        }
        try failure(.badParameter) { _ = try DatabaseFolder.open(at: home.path + "/a\0b") }
        try failure(.fileSystem) {
            try DatabaseFolder.create(at: home.path + "/no/where", members: ManifestMembers(storageType: .sqlite)) {
                _ in
            }
        }
        let long = home.path + "/" + String(repeating: "x", count: 300)
        try failure(.fileSystem) {
            try DatabaseFolder.create(at: long, members: ManifestMembers(storageType: .sqlite)) { _ in }
        }
        try failure(.badParameter) {
            try DatabaseFolder.create(
                at: home.database,
                members: ManifestMembers(storageType: .sqlite, databaseUUID: "\"")
            ) { _ in }
        }
    }

    @Test func namesWhatIsMissing() throws {
        let home = try TemporaryFolder()
        try failure(.notFound) { _ = try DatabaseFolder.open(at: home.database) }
        try failure(.notFound) { _ = try DatabaseFolder.open(at: home.database, readOnly: true) }
        try failure(.notFound) { try DatabaseFolder.destroy(at: home.database) }
    }

    /// Nothing is created in a folder that is not a database, and nothing in it is removed.
    @Test(arguments: ["file", "empty folder", "folder", "web application"])
    func leavesOthersFoldersAlone(_ kind: String) throws {
        let home = try TemporaryFolder()
        if kind == "file" {
            try write("{}", to: home.database)
        } else {
            try FileManager.default.createDirectory(atPath: home.database, withIntermediateDirectories: false)
        }
        if kind == "folder" { try write("notes", to: home.database + "/notes.txt") }
        if kind == "web application" { try write(#"{"name":"app"}"#, to: home.database + "/manifest.json") }
        let before = kind == "file" ? [] : try home.names(in: home.database)
        for readOnly in [false, true] {
            let error = try failure(.unsupportedFormat) {
                _ = try DatabaseFolder.open(at: home.database, readOnly: readOnly)
            }
            #expect(error.message.contains("is not a Settee database"))
        }
        try failure(.unsupportedFormat) { try DatabaseFolder.destroy(at: home.database) }
        if kind != "file" { #expect(try home.names(in: home.database) == before) }
    }

    @Test func knowsAFolderHoweverItIsReached() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        try FileManager.default.createSymbolicLink(atPath: home.path + "/link", withDestinationPath: home.database)
        let direct = try DatabaseFolder.open(at: home.database)
        let linked = try DatabaseFolder.open(at: home.path + "/./link/")
        #expect(direct.identity == linked.identity)
        #expect(direct.path == linked.path)
    }

    @Test func makesMissingLockFilesAgain() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        for name in ["gate", "lock", "writer", "holders"] {
            try FileManager.default.removeItem(atPath: home.database + "/" + name)
        }
        let folder = try DatabaseFolder.open(at: home.database)
        try folder.lockWriter()
        folder.unlockWriter()
    }

    @Test func deletesWhatNobodyHasOpen() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        try failure(.inUse) { try DatabaseFolder.destroy(at: home.database) }
        folder.close()
        try DatabaseFolder.destroy(at: home.database)
        #expect(try home.names().isEmpty)
    }

    @Test func deletesADamagedDatabase() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        try write("x", to: home.database + "/manifest.json")
        try write("y", to: home.database + "/manifest-copy.json")
        try DatabaseFolder.destroy(at: home.database)
        #expect(try home.names().isEmpty)
    }

    @Test func followsNoLinkWhenDeleting() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let outside = home.path + "/outside"
        try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
        try write("mine", to: outside + "/file")
        try FileManager.default.createSymbolicLink(
            atPath: home.database + "/data-000001/link",
            withDestinationPath: outside
        )
        try DatabaseFolder.destroy(at: home.database)
        #expect(try home.names() == ["outside"])
        #expect(try text(of: outside + "/file") == "mine")
    }

    #if os(Linux)
    @Test func keepsNoFileOpenAfterClose() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        func open() throws -> Int {
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return files.count { name in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                return target?.hasPrefix(home.database) == true
            }
        }
        let folder = try DatabaseFolder.open(at: home.database)
        #expect(try open() == 4)
        folder.close()
        #expect(try open() == 0)
        #expect(folder.isClosed)
    }
    #endif

    @Test func answersWithAnErrorAfterClose() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        folder.close()
        folder.close()
        #expect(folder.isClosed)
        try failure(.notOpen) { try folder.lockWriter() }
        try failure(.notOpen) { _ = try folder.switchGeneration(build: { _ in }) }
        folder.endSnapshot(folder.beginSnapshot(changeCounter: 1))
        folder.unlockWriter()
        #expect(try home.names(in: home.database + "/holders").isEmpty)
    }
}
