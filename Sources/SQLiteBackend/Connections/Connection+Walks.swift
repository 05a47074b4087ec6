internal import CSetteeSQLiteAPI
internal import StorageProtocol

extension Connection {
    /// Keeps the page cache of a reader from growing, if the file does not fit it: what a walk over the records reads
    /// would only push out one page after another. Reading into memory that was just read before costs less than
    /// allocating it, above all where other threads allocate too, since SQLite counts its memory under one lock.
    ///
    /// - Returns: whether `endWalk` must be called.
    func beginWalk() -> Bool {
        guard !isWalking, unsafe sqlite_file_length(api, handle) > Int64(ConnectionSettings.readerCache) << 10 else {
            return false
        }
        let size = max(cacheBytes >> 10, ConnectionSettings.walkCache)
        isWalking = (try? setCache(min(size, ConnectionSettings.readerCache))) != nil
        return isWalking
    }

    func endWalk() {
        isWalking = false
        // A smaller cache is no reason to fail.
        try? setCache(ConnectionSettings.readerCache)
    }

    /// How much memory the page cache takes.
    var cacheBytes: Int { Int(unsafe sqlite_cache_bytes(api, handle)) }

    private func setCache(_ size: Int) throws(StorageError) { try execute("PRAGMA cache_size = -\(size)") }
}
