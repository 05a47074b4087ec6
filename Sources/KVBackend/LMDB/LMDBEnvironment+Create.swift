internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageProtocol

extension LMDBEnvironment {
    /// Creates the data file with all tables, synced. It gets its name only when it is complete.
    static func create(in directory: String) throws(StorageError) {
        let path = directory + "/" + LMDBFolder.newName
        var code = make(path)
        // LMDB does not repeat calls that a signal interrupts.
        if code == EINTR { code = make(path) }
        guard code == 0 else {
            let isDiskFull = code == EIO && StoreFiles.isFull(path)
            StoreFiles.remove(path)
            throw LMDBFailure(code: isDiskFull ? ENOSPC : code).error("Making the file")
        }
        try StoreFiles.rename(path, to: directory + "/" + LMDBFolder.dataName)
        try StoreFiles.syncDirectory(directory)
    }

    /// - Returns: LMDB's code.
    private static func make(_ path: String) -> Int32 {
        StoreFiles.remove(path)
        // LMDB fills an empty file as it would a new one, which would be root's where root makes it.
        var code = StoreFiles.makeEmpty(path)
        guard code == 0 else { return code }
        var handle: OpaquePointer?
        unsafe code = mdb_env_create(&handle)
        guard code == 0, let handle = unsafe handle else { return code }
        defer { unsafe mdb_env_close(handle) }
        unsafe _ = mdb_env_set_maxdbs(handle, UInt32(Table.allCases.count))
        let flags = MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOTLS
        unsafe code = mdb_env_open(handle, path, UInt32(flags), LMDBFolder.mode)
        return code == 0 ? unsafe layTables(handle) : code
    }

    private static func layTables(_ handle: OpaquePointer) -> Int32 {
        var transaction: OpaquePointer?
        var code = unsafe mdb_txn_begin(handle, nil, 0, &transaction)
        guard code == 0, let transaction = unsafe transaction else { return code }
        for table in Table.allCases where code == 0 {
            var number: MDB_dbi = 0
            unsafe code = mdb_dbi_open(transaction, table.name, UInt32(MDB_CREATE), &number)
        }
        guard code == 0 else {
            unsafe mdb_txn_abort(transaction)
            return code
        }
        return unsafe mdb_txn_commit(transaction)
    }
}
