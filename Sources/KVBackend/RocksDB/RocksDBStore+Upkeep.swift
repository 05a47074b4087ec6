#if RocksDB
internal import CSetteeRocksDB
internal import Dispatch
internal import SetteeSystemLibrary
internal import StorageProtocol
internal import Synchronization

extension RocksDBStore {
    /// Makes a checkpoint in the empty folder `directory`. Table files are linked where that is possible, and copied
    /// otherwise. The checkpoint is on disk when this returns.
    func link(to directory: String) throws(StorageError) {
        let handles = try handles()
        var failure: UnsafeMutablePointer<CChar>?
        let checkpoint = unsafe rocks_checkpoint_object_create(handles.db, &failure)
        try unsafe failure.check("Copying the files")
        defer { unsafe rocks_checkpoint_object_destroy(checkpoint) }
        // With 0, what is only in the log is written to table files first.
        unsafe rocks_checkpoint_create(checkpoint, directory + "/" + RocksDBFolder.name, 0, &failure)
        try unsafe failure.check("Copying the files")
        try StoreFiles.syncDirectory(directory)
        // It has no log until it was open, and shows whether it can be opened.
        _ = try RocksDBHandles(directory + "/" + RocksDBFolder.name, .writing, memory: 1 << 20)
    }

    /// How many steps `compact` has: one for each family.
    static var compactionSteps: UInt64 { UInt64(Table.allCases.count) }

    /// Writes what is in memory to table files, rewrites those without what was overwritten and removed, and compresses
    /// them well. A thread of its own does so, because one family may take long.
    ///
    /// - Parameter progress: called several times a second with the families done and their number. Throwing stops the
    ///   work.
    func compact(_ progress: (_ done: UInt64, _ of: UInt64) throws(StorageError) -> Void) throws(StorageError) {
        let handles = try handles()
        let total = RocksDBStore.compactionSteps
        try progress(0, total)
        let errors = handles.backgroundFailures
        let work = Compaction()
        DispatchQueue(label: "settee.rocksdb.compaction").async { work.run(handles) }
        var stop: StorageError?
        while work.end.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            guard stop == nil else { continue }
            do throws(StorageError) {
                try progress(work.done.load(ordering: .relaxed), total)
            } catch {
                stop = error
                work.isStopped.store(true, ordering: .relaxed)
                unsafe rocks_disable_manual_compaction(handles.db)
            }
        }
        if let stop {
            unsafe rocks_enable_manual_compaction(handles.db)
            throw stop
        }
        if let failure = work.failure.withLock({ $0 }) { throw failure }
        // The call itself does not say whether it failed.
        guard handles.backgroundFailures == errors else {
            throw StoreFiles.isFull(in: path)
                ? StorageError(
                    .full,
                    "Rewriting the files failed: the disk, or a quota on it, is full. Free disk space and try again."
                )
                : StorageError(.storage, "Rewriting the files failed. Run `settee check`, and check the medium.")
        }
        try progress(total, total)
    }

    /// A rewrite of all families on its thread.
    private final class Compaction: Sendable {
        let done = Atomic<UInt64>(0)
        let isStopped = Atomic(false)
        let end = DispatchSemaphore(value: 0)
        let failure = Locked<StorageError?>(nil)
        /// Smaller tables are not worth another compression.
        private static let worthwhile: UInt64 = 1 << 20

        func run(_ handles: RocksDBHandles) {
            defer { end.signal() }
            do throws(StorageError) {
                try rewrite(handles)
            } catch {
                failure.withLock { $0 = error }
            }
        }

        private func rewrite(_ handles: RocksDBHandles) throws(StorageError) {
            let options = unsafe rocks_compactoptions_create()
            defer { unsafe rocks_compactoptions_destroy(options) }
            // Or files of the last level would stay that have something to free.
            unsafe rocks_compactoptions_set_bottommost_level_compaction(options, UInt8(rocks_force_optimized))
            // RocksDB's own rewrites go on beside it.
            unsafe rocks_compactoptions_set_exclusive_manual_compaction(options, 0)
            for table in Table.allCases where !isStopped.load(ordering: .relaxed) {
                let size =
                    handles.figure("rocksdb.live-sst-files-size", of: table)
                    + handles.figure("rocksdb.cur-size-all-mem-tables", of: table)
                let isLarge = size >= Compaction.worthwhile
                if isLarge { try handles.compress(table, .well) }
                unsafe rocks_compact_range_cf_opt(handles.db, handles.family(table), options, nil, 0, nil, 0)
                if isLarge { try handles.compress(table, .quickly) }
                done.add(1, ordering: .relaxed)
            }
        }
    }

    private func walk(_ cursor: RocksDBCursor, _ step: () throws(StorageError) -> Void) throws(StorageError) {
        var number = 0
        var isThere = try cursor.seek(.first)
        while isThere {
            number += 1
            if number % RocksDBStore.entriesInStep == 0 { try step() }
            isThere = try cursor.next()
        }
    }

    /// How many entries are read between two chances to stop.
    private static let entriesInStep = 1000

    /// Reads every block of the table files, whose checksums RocksDB compares, and the log's content in memory.
    ///
    /// - Complexity: Reads the whole store.
    func verify(
        step: () throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        for problem in openingProblems { report(problem) }
        if let problem = backgroundProblem { report(problem) }
        for table in Table.allCases {
            let snapshot = try beginRead()
            defer { snapshot.end() }
            do throws(StorageError) {
                let cursor = try snapshot.cursor(table, for: .wholeTable)
                defer { cursor.close() }
                try walk(cursor, step)
            } catch {
                guard error.code == .corrupt || error.code == .storage else { throw error }
                report(StorageProblem(area: "files", message: error.message))
            }
        }
    }
}
#endif
