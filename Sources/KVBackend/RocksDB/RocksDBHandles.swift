#if RocksDB
internal import CSetteeRocksDB
internal import SetteeSystemLibrary
internal import StorageProtocol
internal import Synchronization

/// An open RocksDB database with its families. Closed when nothing refers to it: a transaction that is ended inside of
/// a read keeps it until the read is over.
@safe
final class RocksDBHandles: @unchecked Sendable {
    // Sendable because RocksDB's calls may be made from any thread, the pointers never change, and the spare objects
    // are under a lock.
    let db: OpaquePointer
    /// Its folder.
    let path: String
    let mode: Mode
    private let families: UnsafeMutablePointer<OpaquePointer?>
    private let settings: RocksDBSettings
    /// Reads the newest state.
    let newest: OpaquePointer
    /// How commits are written: to the log, or synced.
    private let (unsynced, synced): (OpaquePointer, OpaquePointer)
    /// In a child of `fork` RocksDB's threads are missing.
    private let forkCount: UnsafePointer<Int>
    private let fork: Int
    private let spare = Locked(Spare())
    private let logged = Atomic<UInt64>(0)
    private let failed = Locked<StorageError?>(nil)
    /// The number of the last write when it was opened.
    private let firstSequence: UInt64
    private let openingTime: time_t

    /// How a database is opened.
    enum Mode {
        case new, writing, reading
        /// As a secondary instance: another process has the database and goes on.
        case besideWriter

        var isWriting: Bool { self == .new || self == .writing }
    }

    /// Objects to use again.
    @safe
    private struct Spare: @unchecked Sendable {
        // Sendable because they are only used by who took them.
        var readOptions: [OpaquePointer] = unsafe []
        var batch: RocksDBBatch?
    }

    /// How many are kept.
    private static let mostSpare = 16

    /// Opens the database in the folder `path`.
    ///
    /// - Parameter privateFolder: a folder for what RocksDB writes beside another process.
    init(_ path: String, _ mode: Mode, memory: Int, privateFolder: String = "") throws(StorageError) {
        try RocksDBHandles.requireMemory(memory)
        if mode.isWriting { try RocksDBFolder.requireRoom(for: path) }
        openingTime = time(nil)
        let settings = RocksDBSettings(memory: memory, isNew: mode == .new)
        let count = Int32(Table.allCases.count)
        let families = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: Int(count))
        unsafe families.initialize(repeating: nil, count: Int(count))
        var names: [UnsafePointer<CChar>?] = unsafe Table.allCases.map { unsafe UnsafePointer(strdup($0.familyName)) }
        defer { for place in unsafe names.indices { unsafe free(UnsafeMutableRawPointer(mutating: names[place])) } }
        var each: [OpaquePointer?] = unsafe Table.allCases.map { unsafe settings.options(of: $0) }
        let options = unsafe settings.options
        var failure: UnsafeMutablePointer<CChar>?
        let db: OpaquePointer?
        switch mode {
        case .new, .writing:
            unsafe db = rocks_open_column_families(options, path, count, &names, &each, families, &failure)
        case .reading:
            unsafe db = rocks_open_for_read_only_column_families(
                options,
                path,
                count,
                &names,
                &each,
                families,
                0,
                &failure
            )
        case .besideWriter:
            // All table files stay open, since the other process may delete them.
            unsafe rocks_options_set_max_open_files(options, -1)
            unsafe db = rocks_open_as_secondary_column_families(
                options,
                path,
                privateFolder,
                count,
                &names,
                &each,
                families,
                &failure
            )
        }
        guard let db = unsafe db else {
            unsafe families.deallocate()
            try unsafe failure.check("Opening the files of RocksDB")
            throw .corrupt("RocksDB did not open its files")
        }
        unsafe self.db = unsafe db
        self.path = path
        self.mode = mode
        unsafe self.families = unsafe families
        self.settings = settings
        unsafe newest = rocks_readoptions_create()
        unsafe (unsynced, synced) = unsafe (rocks_writeoptions_create(), rocks_writeoptions_create())
        unsafe rocks_writeoptions_set_sync(synced, 1)
        unsafe firstSequence = rocks_get_latest_sequence_number(db)
        if mode.isWriting {
            RocksDBInventory.remove(path)
            RocksDBFolder.adoptFiles(in: path, since: openingTime)
        }
        unsafe forkCount = ForkCount.pointer
        unsafe fork = forkCount.pointee
    }

    /// Where memory or a thread is refused in the middle of a call, RocksDB ends the process.
    ///
    /// - Throws: `fileSystem` (498) if the process gets no room for the library, its threads, and what is kept.
    static func requireMemory(_ memory: Int) throws(StorageError) {
        let needed = libraryBytes + memory
        guard !LMDBMapRoom.isThere(needed) else { return }
        throw StorageError(
            .fileSystem,
            "A RocksDB database needs \(needed >> 20) MiB of memory, and the system does not give that to the process. "
                + "Raise the limit on its memory (ulimit -v), and retry."
        )
    }

    /// The address space that an opening takes: the library, three threads with their stacks and heaps.
    private static let libraryBytes = 192 << 20

    deinit {
        if isInherited { return }
        let manifest = sync()
        spare.withLock { spare in
            while let options = unsafe spare.readOptions.popLast() { unsafe rocks_readoptions_destroy(options) }
        }
        unsafe rocks_readoptions_destroy(newest)
        unsafe rocks_writeoptions_destroy(unsynced)
        unsafe rocks_writeoptions_destroy(synced)
        for table in Table.allCases { unsafe rocks_column_family_handle_destroy(families[table.rawValue]) }
        unsafe families.deallocate()
        unsafe rocks_close(db)
        if let manifest { RocksDBInventory.write(path, manifest: manifest) }
        if mode.isWriting { RocksDBFolder.adoptFiles(in: path, since: openingTime) }
    }

    /// Syncs what was written, for the list of files that closing leaves.
    ///
    /// - Returns: RocksDB's manifest; nil if nothing is to be listed.
    private func sync() -> String? {
        guard mode.isWriting, failure == nil, backgroundFailures == 0 else { return nil }
        if unsafe rocks_get_latest_sequence_number(db) != firstSequence {
            var text: UnsafeMutablePointer<CChar>?
            unsafe rocks_flush_wal(db, 1, &text)
            guard (try? unsafe check(text, "Syncing the log")) != nil else { return nil }
        }
        return try? RocksDBInventory.manifest(in: path)
    }

    @inline(__always)
    var isInherited: Bool { unsafe forkCount.pointee != fork }

    @inline(__always)
    func family(_ table: Table) -> OpaquePointer { unsafe families[table.rawValue].unsafelyUnwrapped }

    /// The bytes that the cache of blocks holds.
    var cachedBytes: Int { unsafe rocks_cache_get_usage(settings.cache) }

    // MARK: Failures

    /// The first failure of a write. RocksDB accepts no more of them then, and ends the process when it is to sync its
    /// log (by an assertion, which Debian's library has): the database must be opened again.
    var failure: StorageError? { failed.withLock { $0 } }

    /// Throws what a call that writes has left in `text`, and keeps it.
    func check(_ text: UnsafeMutablePointer<CChar>?, _ doing: @autoclosure () -> String) throws(StorageError) {
        do throws(StorageError) {
            try unsafe text.check(doing())
        } catch {
            failed.withLock { $0 = $0 ?? error }
            throw error
        }
    }

    // MARK: Objects to use again

    func takeReadOptions() -> OpaquePointer {
        unsafe spare.withLock { unsafe $0.readOptions.popLast() } ?? rocks_readoptions_create()
    }

    func giveBack(readOptions: OpaquePointer) {
        unsafe rocks_readoptions_set_snapshot(readOptions, nil)
        let isKept = spare.withLock { spare in
            guard unsafe spare.readOptions.count < RocksDBHandles.mostSpare else { return false }
            unsafe spare.readOptions.append(readOptions)
            return true
        }
        if !isKept { unsafe rocks_readoptions_destroy(readOptions) }
    }

    func takeBatch() -> RocksDBBatch {
        spare.withLock { $0.batch.take() }
            ?? RocksDBBatch(families: Table.allCases.map { unsafe rocks_column_family_handle_get_id(family($0)) })
    }

    func giveBack(_ batch: RocksDBBatch) {
        if !batch.isWorthKeeping { return }
        batch.removeAll()
        spare.withLock { $0.batch = batch }
    }

    // MARK: Writing

    /// The bytes of the commits since the opening.
    var logBytesWritten: UInt64 { logged.load(ordering: .relaxed) }

    /// Writes changes to the log and to memory.
    func write(_ batch: RocksDBBatch, isSynced: Bool) throws(StorageError) {
        let bytes = unsafe batch.bytes
        let copy = unsafe rocks_writebatch_create_from(bytes.characters, bytes.count)
        defer { unsafe rocks_writebatch_destroy(copy) }
        var failure: UnsafeMutablePointer<CChar>?
        unsafe rocks_write(db, isSynced ? synced : unsynced, copy, &failure)
        try unsafe check(failure, "Writing the log")
        logged.add(UInt64(bytes.count), ordering: .relaxed)
    }
}

extension Table {
    /// The name of its column family. RocksDB wants one that is called `default`.
    var familyName: String { self == .meta ? "default" : name }
}
#endif
