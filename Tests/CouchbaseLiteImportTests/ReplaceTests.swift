import Foundation
import Settee
import SetteeProgramSupport
import StorageProtocol
import Testing

/// Old databases as the source of `replaceDatabase`, and as new databases of a manager.
@Suite struct ReplaceTests {
    let home: Folder
    let source: Folder
    let manager: Manager

    init() throws {
        home = try Folder()
        source = try Folder()
        manager = try Manager(directory: home.url)
    }

    private func old(
        _ release: OldRelease = .net140,
        key: [UInt8]? = nil,
        body: String? = #"{"n":1}"#
    ) throws -> OldFiles {
        let old = try OldFiles(source, release, name: UUID().uuidString.lowercased(), key: key)
        try old.document(1, "old")
        try old.revision(3, of: 1, "1-x", body)
        try old.info("privateUUID", "-FEYHnujdYBN52mBgHiFzy4")
        try old.finish()
        return old
    }

    /// The import was registered for the whole process: one manager with it changed what all others accepted.
    @Test("A manager without the module of the import does not read an old database") func moduleIsNeeded() throws {
        let old = try old()
        let plain = try Manager(directory: home.url, engines: BuiltInEngines.all)
        let error = #expect(throws: StorageError.self) { try plain.replaceDatabase(named: "app", from: old.url) }
        #expect(error?.code == .unsupportedFormat || error?.code == .notFound)
        let importing = try Manager(
            directory: home.url,
            engines: BuiltInEngines.all,
            modules: [.couchbaseLiteImport]
        )
        try importing.replaceDatabase(named: "app", from: old.url)
        #expect(try importing.database(named: "app")["old"].revision()?.id.string == "1-x")
        try importing.close()
    }

    @Test(
        "An old database replaces an existing database, and a missing one",
        arguments: [
            OldRelease.android104, .iOS104, .net120, .iOS141,
        ]
    )
    func replaced(_ release: OldRelease) throws {
        let old = try old(release)
        for isThere in [true, false] {
            let name = isThere ? "there" : "missing"
            if isThere {
                let present = try manager.database(named: name)
                try present["mine"].put(["a": 1])
                try present.close()
            }
            let before = try states(of: source.path)
            try manager.replaceDatabase(named: name, from: old.url)
            #expect(try states(of: source.path) == before)
            let database = try manager.database(named: name)
            #expect(try database["mine"].currentRevision == nil)
            #expect(try database["old"].revision()?.id.string == "1-x")
            #expect(try database["old"].revision()?.sequence == 3)
            #expect(try database.previousPrivateUUID == "-FEYHnujdYBN52mBgHiFzy4")
            #expect(try database.privateUUID != "-FEYHnujdYBN52mBgHiFzy4")
            #expect(try database.check().isEmpty)
            try database.close()
        }
        #expect(try home.leftovers == [])
    }

    @Test("The asynchronous forms, and their cancellation")
    func asynchronous() async throws {
        let old = try old()
        let seen = Locked<[Int]>([])
        let report = try await manager.async.importCouchbaseLite(named: "new", from: old.url) { documents, total in
            seen.withLock { $0 += [documents, total] }
        }
        #expect(report.documents == 1 && report.isComplete)
        #expect(seen.withLock { $0.contains(1) })
        let again = try await manager.async.replaceDatabase(named: "new", fromCouchbaseLite: old.url)
        #expect(again.documents == 1)
        let task = Task { [manager, url = old.url] in
            try await manager.async.importCouchbaseLite(named: "other", from: url) { _, _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try manager.allDatabaseNames == ["new"])
        #expect(try home.leftovers == [])
    }

    @Test("What cannot be imported completely replaces nothing, unless that is requested")
    func incomplete() throws {
        let old = try old(body: "{")
        let present = try manager.database(named: "app")
        try present["mine"].put(["a": 1])
        try present.close()
        let error = #expect(throws: StorageError.self) { try manager.replaceDatabase(named: "app", from: old.url) }
        #expect(error?.code == .corrupt)
        let same = try manager.database(named: "app")
        #expect(try same["mine"].currentRevision != nil)
        try same.close()
        let report = try manager.replaceDatabase(named: "app", fromCouchbaseLite: old.url)
        #expect(report.problems.count == 1)
        #expect(try manager.database(named: "app")["old"].revision()?.id.string == "1-x")
    }

    @Test("A database that is open is not replaced")
    func open() throws {
        let old = try old()
        let present = try manager.database(named: "app")
        let error = #expect(throws: StorageError.self) { try manager.replaceDatabase(named: "app", from: old.url) }
        #expect(error?.code == .inUse)
        try present.close()
        #expect(try home.leftovers == [])
    }

    @Test("An encrypted one stays encrypted with its key; a plain one replaces an encrypted one only with `decrypt`")
    func keys() throws {
        let raw = EncryptionTests.derived[0]
        let passphrase = try StorageKey(passphrase: EncryptionTests.passphrase)
        let old = try old(key: raw)
        try manager.replaceDatabase(named: "app", from: old.url, key: passphrase)
        let database = try manager.database(named: "app", options: DatabaseOptions(key: passphrase))
        #expect(try database.statistics().isEncrypted)
        #expect(try database.body("old") == #"{"n":1}"#)
        try database.close()
        let plain = try self.old()
        let error = #expect(throws: StorageError.self) { try manager.replaceDatabase(named: "app", from: plain.url) }
        #expect(error?.code == .badRequest)
        try manager.replaceDatabase(named: "app", from: plain.url, decrypt: true)
        #expect(try manager.database(named: "app").statistics().isEncrypted == false)
    }

    @Test("A manager makes a new database, and keeps what is there")
    func new() throws {
        let old = try old()
        let report = try manager.importCouchbaseLite(
            named: "app",
            from: old.url,
            options: DatabaseOptions(storageType: .lmdb)
        )
        #expect(report.isComplete)
        let database = try manager.database(named: "app")
        #expect(database.storageType == .lmdb)
        #expect(try database.body("old") == #"{"n":1}"#)
        let error = #expect(throws: StorageError.self) {
            _ = try manager.importCouchbaseLite(named: "app", from: old.url)
        }
        #expect(error?.code == .exists)
        let reader = try Manager(directory: home.url, options: .init(readOnly: true))
        let refused = #expect(throws: StorageError.self) {
            _ = try reader.importCouchbaseLite(named: "other", from: old.url)
        }
        #expect(refused?.code == .readOnly)
    }
}
