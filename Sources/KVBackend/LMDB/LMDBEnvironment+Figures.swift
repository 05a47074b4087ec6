internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageProtocol

extension LMDBEnvironment {
    /// - Parameter freePages: The number of free pages, if it is known.
    func figures(freePages: UInt64?) throws(StorageError) -> LMDBFigures {
        let snapshot = try beginRead()
        defer { snapshot.end() }
        let free = if let freePages { freePages } else { try snapshot.freePages() }
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(handle, &info)
        var places: UInt32 = 0
        unsafe _ = mdb_env_get_maxreaders(handle, &places)
        return unsafe LMDBFigures(
            pageSize: UInt64(pageSize),
            mapSize: UInt64(info.me_mapsize),
            lastPage: UInt64(info.me_last_pgno),
            freePages: free,
            lastTransaction: UInt64(info.me_last_txnid),
            readerPlaces: UInt64(places),
            dataBytes: StoreFiles.size(path)
        )
    }

    var isFullySynced: Bool { state.withLock { $0.fullStores > 0 || $0.normalStores == 0 } }

    /// How long the oldest snapshot of this process has been open, in nanoseconds; nil if there is none.
    var oldestSnapshotAge: UInt64? {
        let now = LMDBEnvironment.now
        let since = state.withLock { state in state.readers.lazy.map(\.since).filter { $0 != 0 }.min() }
        return since.map { now > $0 ? now - $0 : 0 }
    }

    /// Returns the snapshots of all processes. `newest` is the number of the last commit.
    func readers(newest: UInt64) -> [LMDBReaderEntry] {
        var text: [UInt8] = []
        let own = Int(getpid())
        unsafe withUnsafeMutablePointer(to: &text) { text in
            // LMDB only provides this as lines of text: process, thread, and transaction or `-`.
            unsafe _ = mdb_reader_list(
                handle,
                { line, context in
                    guard let line = unsafe line, let context = unsafe context else { return 0 }
                    unsafe context.assumingMemoryBound(to: [UInt8].self).pointee
                        .append(contentsOf: UnsafeRawBufferPointer(start: line, count: strlen(line)))
                    return 0
                },
                text
            )
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 3, let process = Int(words[0]), let transaction = UInt64(words[2]) else { return nil }
            let behind = newest > transaction ? newest - transaction : 0
            return LMDBReaderEntry(process: process, isOwn: process == own, behind: behind)
        }
    }
}

extension LMDBTransaction {
    /// Returns how many pages are named by the first 4,096 records of the list of free pages. The transaction must be a
    /// snapshot.
    func freePages() throws(StorageError) -> UInt64 {
        unsafe _ = try live()
        do throws(PageDamage) {
            return try pages.freeList.freePages(pages.space, records: 4096)
        } catch {
            throw damaged(error)
        }
    }
}
