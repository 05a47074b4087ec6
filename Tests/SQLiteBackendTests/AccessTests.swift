internal import CSetteeSQLiteAPI
internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// Read-only and immutable stores, and requirements for the library.
@Suite struct AccessTests {
    @Test func readOnlyRefusesWrites() throws {
        let store = try TestStore.filled(10)
        let engine = try store.open(StorageOptions(readOnly: true))
        #expect(try engine.read { (now) throws(StorageError) in try now.ids().count } == 10)
        #expect(code { _ = try engine.beginWrite() } == .readOnly)
        #expect(code { try engine.checkpoint() } == .readOnly)
        #expect(try engine.problems() == [])
        engine.close()
    }

    /// Characters with a meaning in URIs must not change which file it is.
    @Test func immutableStoresAreReadWithoutALog() throws {
        let outer = try TestStore()
        let directory = outer.directory + "/a?b#c%41 é&immutable=0"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let made = try SQLiteEngineFactory().open(directory: directory, options: StorageOptions(create: true))
        try made.insert(0..<10)
        made.close()
        let options = StorageOptions(immutable: true)
        let engine = try SQLiteEngineFactory().open(directory: directory, options: options)
        #expect(try engine.read { (now) throws(StorageError) in try now.ids().count } == 10)
        #expect(code { _ = try engine.beginWrite() } == .readOnly)
        let copy = try TestStore()
        try engine.copy(toDirectory: copy.directory) { (_, _) throws(StorageError) in }
        engine.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["db.sqlite3"])
        let copied = try copy.open(StorageOptions())
        #expect(try copied.read { (now) throws(StorageError) in try now.ids().count } == 10)
        copied.close()
    }

    @Test func immutableRefusesALog() throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<10)
        // As a kill leaves it: the file with its log.
        let left = try TestStore()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: store.path + suffix, toPath: left.path + suffix)
        }
        engine.close()
        let error = #expect(throws: StorageError.self) { try left.open(StorageOptions(immutable: true)) }
        #expect(error?.code == .readOnly)
        let recovered = try left.open(StorageOptions())
        #expect(try recovered.read { (now) throws(StorageError) in try now.ids().count } == 10)
        recovered.close()
    }

    /// In a process of its own, which drops root's rights if it has them.
    @Test func aFolderThatCannotBeWrittenIsNamed() async {
        await #expect(processExitsWith: .success) {
            let store = try TestStore.filled(10)
            chmod(store.path, 0o444)
            chmod(store.directory, 0o555)
            let isRoot = geteuid() == 0
            if isRoot { _ = seteuid(65534) }
            let reading = code { try store.open(StorageOptions(readOnly: true)).close() }
            let writing = code { try store.open(StorageOptions()).close() }
            let immutable = code { try store.open(StorageOptions(immutable: true)).close() }
            if isRoot { _ = seteuid(0) }
            chmod(store.directory, 0o755)
            guard reading == .readOnly else { exit(2) }
            guard writing == .readOnly else { exit(3) }
            guard immutable == nil else { exit(4) }
        }
    }

    @Test func anUnfitLibraryIsNamed() {
        var table = unsafe sqlite_api_linked().pointee
        table.libversion_number = { 3_014_002 }
        #expect(code { unsafe _ = try SQLiteLibrary(api: &table) } == .storage)
        unsafe table = sqlite_api_linked().pointee
        table.threadsafe = { 0 }
        #expect(code { unsafe _ = try SQLiteLibrary(api: &table) } == .storage)
    }

    /// SQLite before 3.20 has no `sqlite3_prepare_v3`, before 3.12 no `sqlite3_system_errno`.
    @Test func olderLibrariesServe() throws {
        let table = UnsafeMutablePointer<SQLiteAPI>.allocate(capacity: 1)
        unsafe table.initialize(to: sqlite_api_linked().pointee)
        unsafe table.pointee.prepare_v3 = nil
        unsafe table.pointee.system_errno = nil
        let store = try TestStore()
        do {
            let library = unsafe try SQLiteLibrary(api: table)
            let options = StorageOptions(create: true)
            let engine = try SQLiteEngine(directory: store.directory, options: options, kind: .plain(library))
            try engine.insert(0..<50)
            #expect(try engine.read { (now) throws(StorageError) in try now.body(name(7)) } == someBody(7))
            engine.close()
        }
        unsafe table.deallocate()
    }

    @Test(arguments: [
        (5, 0, StorageError.Code.busy), (6, 0, .busy), (13, 0, .full), (778, ENOSPC, .full), (778, EFBIG, .full),
        (778, EIO, .storage), (11, 0, .corrupt), (26, 0, .corrupt), (522, 0, .corrupt), (8, 0, .readOnly),
        (3, 0, .readOnly), (14, 0, .fileSystem), (18, 0, .tooLarge), (9, 0, .cancelled), (14, ENOSPC, .full),
        (1032, 0, .fileSystem), (7, 0, .storage),
        // Errors that contradict the file's own tables are damage, as on other engines.
        (1, 0, .corrupt), (19, 0, .corrupt), (2067, 0, .corrupt), (20, 0, .corrupt), (8202, 0, .corrupt),
        (8458, 0, .corrupt), (267, 0, .corrupt), (523, 0, .corrupt),
        // Where the system could not read, SQLite's word for it is the same.
        (11, EIO, .storage), (267, EIO, .storage), (8458, EIO, .storage), (522, EIO, .corrupt),
    ])
    func resultsHaveTheirCode(result: Int32, systemError: Int32, expected: StorageError.Code) {
        let failure = SQLiteFailure(code: result, systemError: systemError, text: "")
        #expect(failure.error("Trying").code == expected)
    }

    /// Reading a header by hand while the process has the file open would release its locks.
    @Test func aSecondOpeningTouchesNoLocks() throws {
        let store = try TestStore()
        let first = try store.open()
        try first.insert(0..<10)
        let second = try store.open(StorageOptions())
        try second.insert(10..<20)
        second.close()
        // The first one's log must still be there: the second was not the last.
        #expect(store.size("-wal") != nil)
        try first.insert(20..<30)
        #expect(try first.read { (now) throws(StorageError) in try now.ids().count } == 30)
        first.close()
        #expect(store.size("-wal") == nil)
    }
}
