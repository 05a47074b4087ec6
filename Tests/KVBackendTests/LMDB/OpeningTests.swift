internal import CSetteeLMDB
internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// What opens, how, and what does not.
@Suite struct OpeningTests {
    @Test func anEmptyFolderNeedsCreate() throws {
        let folder = try TestFolder()
        #expect(code { _ = try folder.open(StorageOptions()) } == .notFound)
        #expect(code { _ = try folder.open(StorageOptions(create: true, readOnly: true)) } == .readOnly)
        #expect(folder.names.isEmpty)
        #expect(
            code { _ = try LMDBStore(directory: folder.path + "/none", options: StorageOptions(create: true)) }
                == .fileSystem
        )
        try folder.open().close()
        #expect(folder.names == ["data.mdb", "lock.mdb"])
        try folder.open(StorageOptions()).close()
    }

    @Test func otherFilesAreLeftAlone() throws {
        for name in ["notes.txt", "suspect"] {
            let folder = try TestFolder()
            try folder.write([], to: name)
            #expect(code { _ = try folder.open() } == .corrupt)
            #expect(folder.names == [name])
        }
    }

    @Test func aKilledCreationIsBegunAnew() throws {
        let folder = try TestFolder()
        for name in ["data.new", "lock.mdb"] {
            try folder.write([1, 2, 3], to: name)
        }
        #expect(code { _ = try folder.open(StorageOptions()) } == .notFound)
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        store.close()
        #expect(folder.names == ["data.mdb", "lock.mdb"])
    }

    /// Neither waits nor traps.
    @Test func whatIsNoFileIsRefused() throws {
        for name in ["data.mdb", "lock.mdb", "suspect"] {
            for kind in 0..<4 {
                let folder = try TestFolder()
                if name != "data.mdb" {
                    try folder.open().close()
                    try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
                }
                let path = folder.path + "/" + name
                switch kind {
                case 0: #expect(mkfifo(path, 0o600) == 0)
                case 1: #expect(mkdir(path, 0o700) == 0)
                case 2: #expect(symlink(path, path) == 0)
                default: #expect(symlink(folder.path + "/nothing", path) == 0)
                }
                #expect(code { _ = try folder.open() } == .corrupt, "\(name), \(kind)")
                #expect(access(folder.path + "/nothing", F_OK) != 0)
            }
        }
    }

    /// How an opening notices that LMDB has the folder's table of readers open.
    @Test func whatTheProcessHasOpenIsKnown() throws {
        let folder = try TestFolder()
        try folder.write([1], to: "other")
        let path = folder.path + "/other"
        let file = try #require(try StoreFiles.facts(path)).identity
        #expect(StoreFiles.isOpen(file) == false)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        #expect(StoreFiles.isOpen(file) == true)
        close(descriptor)
        #expect(StoreFiles.isOpen(file) == false)
    }

    @Test func garbageIsRefused() throws {
        for size in [0, 1, 100, 4096, 8192, 40000] {
            let folder = try TestFolder()
            try folder.write((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 37) }, to: "data.mdb")
            #expect(code { _ = try folder.open() } == .corrupt, "\(size) bytes")
        }
    }

    @Test func anotherProgramsFileIsRefused() throws {
        let folder = try TestFolder()
        var environment: OpaquePointer?
        #expect(mdb_env_create(&environment) == 0)
        #expect(mdb_env_open(environment, folder.path, 0, 0o644) == 0)
        var transaction: OpaquePointer?
        #expect(mdb_txn_begin(environment, nil, 0, &transaction) == 0)
        var main: MDB_dbi = 0
        #expect(mdb_dbi_open(transaction, nil, 0, &main) == 0)
        #expect(mdb_txn_commit(transaction) == 0)
        mdb_env_close(environment)
        #expect(code { _ = try folder.open() } == .unsupportedFormat)
    }

    // MARK: One environment per file

    @Test func allPathsLeadToOneEnvironment() throws {
        let folder = try TestFolder()
        let links = try TestFolder()
        let link = links.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
        let second = try TestFolder()
        let third = try TestFolder()
        let store = try folder.open()
        #expect(Foundation.link(folder.dataFile, second.dataFile) == 0)
        try FileManager.default.createSymbolicLink(atPath: third.dataFile, withDestinationPath: folder.dataFile)
        // A link in the file's place is not followed.
        #expect(code { _ = try third.open() } == .corrupt)
        let paths = [folder.path, folder.path + "/./", link, second.path]
        let others = try paths.map { try LMDBStore(directory: $0, options: StorageOptions()) }
        for other in others { #expect(other.environment === store.environment) }
        #expect(second.names == ["data.mdb"])
        // Closing the first one leaves it to the others.
        store.close()
        store.close()
        for (number, other) in others.enumerated() {
            try other.write { (now) throws(StorageError) in try now.put("\(number)", [1]) }
            other.close()
            #expect(code { _ = try other.beginRead() } == .notOpen || number < others.count - 1)
        }
        let again = try folder.open(StorageOptions())
        #expect(again.environment !== store.environment)
        #expect(try again.read { (now) throws(StorageError) in try now.keys().count } == 4)
        again.close()
    }

    @Test func readOnlyStoresRefuseWritesBesideOthers() throws {
        let folder = try TestFolder()
        try folder.open().close()
        let reading = try folder.open(StorageOptions(readOnly: true))
        let writing = try folder.open(StorageOptions())
        let immutable = try folder.open(StorageOptions(immutable: true))
        try writing.write { (now) throws(StorageError) in try now.put("a", [1]) }
        for store in [reading, immutable] {
            #expect(code { _ = try store.beginWrite() } == .readOnly)
            #expect(code { try store.checkpoint() } == .readOnly)
            #expect(try store.read { (now) throws(StorageError) in try now.value("a") } == [1])
        }
        for store in [reading, writing, immutable] { store.close() }
    }

    @Test func theStrongerDurabilityHolds() throws {
        let folder = try TestFolder()
        let normal = try folder.open(StorageOptions(create: true, durability: .normal))
        func flags() throws -> UInt32 {
            try normal.write { (now) throws(StorageError) in try now.put("a", [1]) }
            var flags: UInt32 = 0
            #expect(mdb_env_get_flags(normal.environment.handle, &flags) == 0)
            return flags & UInt32(MDB_NOMETASYNC)
        }
        #expect(try flags() != 0)
        let full = try folder.open(StorageOptions(durability: .full))
        #expect(try flags() == 0)
        full.close()
        #expect(try flags() != 0)
        try normal.checkpoint()
        normal.close()
    }

    @Test func immutableStoresTakeNoLocks() throws {
        let folder = try TestFolder()
        let made = try folder.open()
        try made.write { (now) throws(StorageError) in try now.put("a", [1]) }
        made.close()
        try FileManager.default.removeItem(atPath: folder.path + "/lock.mdb")
        let store = try folder.open(StorageOptions(immutable: true))
        #expect(try store.read { (now) throws(StorageError) in try now.value("a") } == [1])
        #expect(code { _ = try store.beginWrite() } == .readOnly)
        #expect(try store.statistics().bytesOnDisk > 0)
        #expect(code { _ = try folder.open(StorageOptions()) } == .inUse)
        store.close()
        #expect(folder.names == ["data.mdb"])
        try folder.open(StorageOptions()).close()
    }

    /// In a process of its own, which drops root's rights if it has them.
    @Test func aFolderThatCannotBeWrittenIsNamed() async {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            try folder.open().close()
            chmod(folder.dataFile, 0o444)
            chmod(folder.path + "/lock.mdb", 0o444)
            chmod(folder.path, 0o555)
            let isRoot = geteuid() == 0
            if isRoot { _ = seteuid(65534) }
            let reading = code { try folder.open(StorageOptions(readOnly: true)).close() }
            let writing = code { try folder.open(StorageOptions()).close() }
            let immutable = code { try folder.open(StorageOptions(immutable: true)).close() }
            if isRoot { _ = seteuid(0) }
            chmod(folder.path + "/lock.mdb", 0o666)
            if isRoot { _ = seteuid(65534) }
            // If the table of readers can be written, the file itself need not be.
            let store = try folder.open(StorageOptions(readOnly: true))
            let withLocks = code { _ = try store.read { (now) throws(StorageError) in try now.keys() } }
            let writingToo = code { try folder.open(StorageOptions()).close() }
            store.close()
            if isRoot { _ = seteuid(0) }
            chmod(folder.path, 0o755)
            guard reading == .readOnly else { exit(2) }
            guard writing == .readOnly else { exit(3) }
            guard immutable == nil else { exit(4) }
            guard withLocks == nil else { exit(5) }
            guard writingToo == .readOnly else { exit(6) }
        }
    }
}
