internal import CSetteeLMDB
internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeKV

/// Failures have a code, and leave the store in the documented state.
@Suite struct FaultTests {
    @Test(arguments: [
        (MDB_MAP_FULL, StorageError.Code.full), (MDB_TXN_FULL, .full), (ENOSPC, .full), (EDQUOT, .full), (EFBIG, .full),
        (EIO, .storage), (MDB_PANIC, .storage), (MDB_BAD_TXN, .storage), (ENOMEM, .storage), (EINVAL, .storage),
        (MDB_CORRUPTED, .corrupt), (MDB_KEYEXIST, .corrupt), (MDB_PAGE_NOTFOUND, .corrupt), (MDB_INVALID, .corrupt),
        (MDB_INCOMPATIBLE, .corrupt),
        (MDB_VERSION_MISMATCH, .unsupportedFormat), (MDB_READERS_FULL, .busy), (MDB_MAP_RESIZED, .busy),
        (EACCES, .readOnly), (EROFS, .readOnly), (ENOENT, .fileSystem), (EMFILE, .fileSystem),
        (MDB_BAD_VALSIZE, .tooLarge),
    ])
    func codesHaveTheirMeaning(code: Int32, expected: StorageError.Code) {
        let error = LMDBFailure(code: code).error("Trying")
        #expect(error.code == expected)
        #expect((error.cause as? LMDBFailure)?.code == code)
    }

    /// The system may have forgotten what it could not write, so that nothing read or synced later can be trusted.
    @Test(arguments: [EIO, MDB_PANIC])
    func aFailingDiskEndsTheStore(failure: Int32) throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        #expect(store.environment.failure(failure, "Committing").code == .storage)
        #expect(folder.names.contains("suspect"))
        #expect(code { _ = try store.beginRead() } == .storage)
        #expect(code { _ = try store.beginWrite() } == .storage)
        #expect(code { try store.checkpoint() } == .storage)
        #expect(code { _ = try folder.open() } == .storage)
        store.close()
        // The walk at the next open finds nothing.
        let again = try folder.open()
        #expect(!folder.names.contains("suspect"))
        #expect(try again.read { (now) throws(StorageError) in try now.value("a") } == [1])
        try again.write { (now) throws(StorageError) in try now.put("a", [2]) }
        again.close()
    }

    @Test func damageFoundByLMDBMarksTheStore() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let transaction = try store.beginWrite()
        #expect(transaction.fail(MDB_CORRUPTED, "Reading").code == .corrupt)
        #expect(code { try transaction.put("a", [1]) } == .corrupt)
        #expect(code { try transaction.commit() } == .corrupt)
        #expect(folder.names.contains("suspect"))
        #expect(try store.read { (now) throws(StorageError) in try now.keys() } == [])
        store.close()
    }

    @Test func damagedPagesAreFoundBeforeAndWhileOpen() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in
            for number in 0..<2000 { try now.put("\(number)", [UInt8](repeating: 1, count: 100)) }
        }
        func problems(_ store: LMDBStore) throws -> Int {
            var count = 0
            try store.verify { _ in count += 1 }
            return count
        }
        #expect(try problems(store) == 0)
        store.close()
        // A leaf in the middle, which the quick check at opening does not read.
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.dataFile)))
        let page = try #require((20..<bytes.count / 4096).first { bytes[$0 * 4096 + 10] == 2 })
        for place in 16..<64 { bytes[page * 4096 + place] = 0xFF }
        try folder.write(bytes, to: "data.mdb")
        #expect(code { _ = try folder.open(StorageOptions(verifyOnOpen: true)) } == .corrupt)
        let again = try folder.open()
        #expect(try problems(again) > 0)
        again.close()
        try folder.write([], to: "suspect")
        #expect(code { _ = try folder.open() } == .corrupt)
        #expect(folder.names.contains("suspect"))
    }

    // MARK: Locks

    @Test func garbageInTheTableOfReadersIsOverwritten() throws {
        for size in [0, 1, 100, 8192, 65536, 300_000] {
            let folder = try TestFolder()
            try folder.open().close()
            try folder.write((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 37) }, to: "lock.mdb")
            let store = try folder.open()
            try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
            #expect(try store.read { (now) throws(StorageError) in try now.value("a") } == [1], "\(size) bytes")
            #expect(try store.statistics()["readers"] == "0")
            store.close()
        }
    }

    /// Two files would share one table of readers, and closing one would release the other's locks.
    @Test func aFileInThePlaceOfAnOpenOneIsRefused() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let other = try TestFolder()
        try other.open().close()
        #expect(rename(other.dataFile, folder.dataFile) == 0)
        #expect(code { _ = try folder.open() } == .inUse)
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        store.close()
        let again = try folder.open()
        #expect(try again.read { (now) throws(StorageError) in try now.keys() } == [])
        again.close()
    }

    @Test func aStoreClosedInASnapshotIsRevived() throws {
        let folder = try TestFolder()
        let store = try folder.open()
        try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        let snapshot = try store.beginRead()
        store.close()
        #expect(try snapshot.value("a") == [1])
        let again = try folder.open()
        #expect(again.environment === store.environment)
        snapshot.end()
        try again.write { (now) throws(StorageError) in try now.put("a", [2]) }
        again.close()
        #expect(code { _ = try again.beginRead() } == .notOpen)
        #expect(code { _ = try again.beginWrite() } == .notOpen)
        #expect(code { _ = try again.statistics() } == .notOpen)
    }

    /// A process that dies while writing leaves none of it, and passes the lock to the next.
    @Test func aWriterThatDiesLeavesTheLock() async throws {
        let folder = try TestFolder()
        let store = try folder.open()
        let path = folder.path
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let store = try LMDBStore(directory: path, options: StorageOptions())
            let transaction = try store.beginWrite()
            try transaction.put("a", [1])
            _exit(7)
        }
        try store.write { (now) throws(StorageError) in
            #expect(try now.keys() == [])
            try now.put("b", [2])
        }
        store.close()
    }

    // MARK: Full disks

    /// On a disk of its own, which is removed with the process. LMDB maps and writes the table of readers: without
    /// space for it there would be a signal.
    @Test(.enabled(if: geteuid() == 0))
    func aFullDiskIsAnErrorFromTheFirstCallOn() async {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            guard ownMounts() == 0, mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0,
                mount("tmpfs", folder.path, "tmpfs", 0, "size=1m") == 0
            else { return }
            defer { umount(folder.path) }
            // Nothing can be created.
            let filler = folder.path + "/filler"
            let directory = folder.path + "/store"
            mkdir(directory, 0o755)
            for room in [0, 4, 40, 70, 120] {
                fill(filler, leaving: room << 10)
                let refusal = code {
                    try LMDBStore(directory: directory, options: StorageOptions(create: true)).close()
                }
                guard (refusal == .full) == (room < 100), refusal == .full || refusal == nil else { exit(2) }
                for name in ["data.mdb", "lock.mdb", "data.new"] { unlink(directory + "/" + name) }
            }
            unlink(filler)
            let store = try LMDBStore(directory: directory, options: StorageOptions(create: true))
            try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
            store.close()
            unlink(directory + "/lock.mdb")
            fill(filler, leaving: 0)
            // Not even the table of readers has room.
            guard code({ _ = try LMDBStore(directory: directory, options: StorageOptions()) }) == .full else { exit(3) }
            fill(filler, leaving: 64 << 10)
            let full = try LMDBStore(directory: directory, options: StorageOptions())
            fill(filler, leaving: 8 << 10)
            let transaction = try full.beginWrite()
            try transaction.put("large", [UInt8](repeating: 1, count: 100_000))
            guard code({ try transaction.commit() }) == .full else { exit(4) }
            guard try full.read({ (now) throws(StorageError) in try now.keys() }) == ["a"] else { exit(5) }
            unlink(filler)
            try full.write { (now) throws(StorageError) in try now.put("b", [1]) }
            full.close()
        }
    }

    #if os(Linux)
    /// A full disk used to be considered harmless in all cases. One that accepts pages and fails to keep them only
    /// reports it at the sync, and may have lost what earlier commits wrote too.
    @Test(arguments: [ENOSPC, EDQUOT])
    func aDiskThatIsFullAtTheSyncEndsTheStore(failure: Int32) async {
        await #expect(processExitsWith: .success) { [failure] in
            let folder = try TestFolder()
            let store = try folder.open(StorageOptions(create: true, durability: .full))
            try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
            guard RefusedCalls.refuseSyncs(failure) else { return }
            let transaction = try store.beginWrite()
            try transaction.put("b", [1])
            guard code({ try transaction.commit() }) == .full else { exit(2) }
            try expectTheEnd(of: store, in: folder)
        }
    }

    @Test func aCheckpointThatIsRefusedForWantOfSpaceEndsTheStore() async {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let store = try folder.open()
            try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
            guard RefusedCalls.refuseSyncs(ENOSPC) else { return }
            guard code({ try store.checkpoint() }) == .full else { exit(2) }
            try expectTheEnd(of: store, in: folder)
        }
    }

    /// After that LMDB begins no transaction, which surprised the next call.
    @Test func aMetaPageThatIsRefusedForWantOfSpaceEndsTheStore() async {
        await #expect(processExitsWith: .success) {
            let folder = try TestFolder()
            let store = try folder.open(StorageOptions(create: true, durability: .full))
            try store.write { (now) throws(StorageError) in try now.put("a", [1]) }
            guard try RefusedCalls.refuseMetaPages(of: store, ENOSPC) else { return }
            let transaction = try store.beginWrite()
            try transaction.put("b", [1])
            guard code({ try transaction.commit() }) == .full else { exit(2) }
            try expectTheEnd(of: store, in: folder)
        }
    }
    #endif
}

/// The store has to be closed, and the next open checks its pages and finds what was committed.
private func expectTheEnd(of store: LMDBStore, in folder: TestFolder) throws {
    guard folder.names.contains("suspect") else { exit(3) }
    guard code({ _ = try store.beginRead() }) == .storage, code({ _ = try store.beginWrite() }) == .storage,
        code({ try store.checkpoint() }) == .storage
    else { exit(4) }
    store.close()
    guard folder.names == ["data.mdb", "lock.mdb", "suspect"] else { exit(5) }
    let again = try folder.open(StorageOptions())
    guard !folder.names.contains("suspect") else { exit(6) }
    guard try again.read({ (now) throws(StorageError) in try now.keys() }) == ["a"] else { exit(7) }
    again.close()
}

/// Gives the process its own mounts. Swift hides `unshare`.
private func ownMounts() -> Int32 {
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let symbol = dlsym(nil, "unshare") else { return -1 }
    return unsafeBitCast(symbol, to: Unshare.self)(0x20000)  // CLONE_NEWNS
}

/// Makes a file that leaves so many bytes free on its disk.
private func fill(_ path: String, leaving room: Int) {
    unlink(path)
    var space = statvfs()
    statvfs(path.replacingOccurrences(of: "/filler", with: ""), &space)
    let free = Int(space.f_bavail) * Int(space.f_frsize)
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o644)
    let bytes = [UInt8](repeating: 1, count: max(0, free - room))
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
}
