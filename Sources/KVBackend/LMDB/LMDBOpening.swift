internal import CSetteeLMDB
internal import SetteeSystemLibrary
internal import StorageProtocol

/// Opens the environment of an existing file.
struct LMDBOpening {
    var path: String
    var identity: StoreFileIdentity
    var options: StorageOptions
    var mapSize: Int?

    /// The result of an opening.
    @safe
    struct Result {
        var handle: OpaquePointer
        var tables: UnsafeMutablePointer<MDB_dbi>
        var access: LMDBEnvironment.Access
        var mapSize: Int
        var pageSize: Int
        var pages: PageMap
    }

    private var folder: String { LMDBFolder.folder(of: path) }

    func run() throws(StorageError) -> Result {
        let access = try self.access()
        let size = LMDBMapRoom.size(mapSize ?? LMDBMapRoom.forNewMap(), holding: StoreFiles.size(path))
        var (handle, code) = unsafe open(access, size)
        // LMDB does not repeat calls that a signal interrupts.
        if code == EINTR { unsafe (handle, code) = unsafe open(access, size) }
        guard let handle = unsafe handle else { throw failure(code, "Opening the file") }
        return unsafe try finish(handle, access)
    }

    /// Opens the file for writing if the process may write to it, even for a read-only store, because later stores
    /// share it.
    private func access() throws(StorageError) -> LMDBEnvironment.Access {
        if options.immutable { return .immutable }
        let lock = folder + "/" + LMDBFolder.lockName
        // On a read-only file system, LMDB would continue without locks.
        guard StoreFiles.mayWrite(try StoreFiles.facts(lock) == nil ? folder : lock) else {
            throw StorageError(
                .readOnly,
                "The folder '\(folder)' cannot be written, and reading needs a place in the table of readers "
                    + "('\(LMDBFolder.lockName)') "
                    + "in it. Grant write permission, copy the database to a writable place, or put it on a read-only "
                    + "medium."
            )
        }
        try StoreFiles.reserve(lock, bytes: LMDBFolder.lockBytes)
        if StoreFiles.mayWrite(path) { return .writable }
        guard options.readOnly else { throw LMDBFailure(code: EACCES).error("Opening the file") }
        return .readOnly
    }

    /// Returns an environment, or LMDB's code.
    private func open(_ access: LMDBEnvironment.Access, _ size: Int) -> (OpaquePointer?, Int32) {
        var handle: OpaquePointer?
        var code = unsafe mdb_env_create(&handle)
        guard code == 0, let handle = unsafe handle else { return (nil, code) }
        unsafe _ = mdb_env_set_maxdbs(handle, UInt32(Table.allCases.count))
        unsafe _ = mdb_env_set_maxreaders(handle, UInt32(LMDBEnvironment.maximumReaders))
        unsafe _ = mdb_env_set_mapsize(handle, size)
        var flags = MDB_NOTLS
        if AvailableMemory.isExceeded(byFileOf: StoreFiles.size(path)) { flags |= MDB_NORDAHEAD }
        switch access {
        case .writable: break
        case .readOnly: flags |= MDB_RDONLY
        case .immutable: flags |= MDB_RDONLY | MDB_NOLOCK
        }
        unsafe code = mdb_env_open(handle, folder, UInt32(flags), LMDBFolder.mode)
        if code == 0 { return unsafe (handle, 0) }
        unsafe mdb_env_close(handle)
        return (nil, code)
    }

    private func finish(_ handle: OpaquePointer, _ access: LMDBEnvironment.Access) throws(StorageError) -> Result {
        do throws(StorageError) {
            var descriptor: Int32 = -1
            unsafe _ = mdb_env_get_fd(handle, &descriptor)
            if access != .immutable { try requireOpenLock() }
            guard StoreFiles.facts(descriptor: descriptor)?.identity == identity else {
                if try StoreFiles.facts(path)?.isRegular == false { throw LMDBFolder.noFile(path) }
                throw StorageError(.inUse, "The file '\(path)' was replaced while it was opened. Try again.")
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var dead: Int32 = 0
            unsafe _ = mdb_reader_check(handle, &dead)
            var info = unsafe MDB_envinfo()
            unsafe mdb_env_info(handle, &info)
            var status = MDB_stat()
            unsafe mdb_env_stat(handle, &status)
            let pageSize = Int(status.ms_psize)
            let pages = try PageMap(
                descriptor: descriptor,
                pageSize: pageSize,
                pages: unsafe UInt64(info.me_last_pgno) &+ 1
            )
            return unsafe Result(
                handle: handle,
                tables: try tables(handle),
                access: access,
                mapSize: info.me_mapsize,
                pageSize: pageSize,
                pages: pages
            )
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
    }

    /// LMDB follows links, and does not tell what it has opened as the reader table.
    ///
    /// - Throws: `corrupt` (591) if that is not the file in the folder.
    private func requireOpenLock() throws(StorageError) {
        let lock = folder + "/" + LMDBFolder.lockName
        guard let facts = try StoreFiles.facts(lock), facts.isRegular, StoreFiles.isOpen(facts.identity) != false else {
            throw LMDBFolder.noFile(lock)
        }
    }

    /// Opens all tables.
    private func tables(_ handle: OpaquePointer) throws(StorageError) -> UnsafeMutablePointer<MDB_dbi> {
        var transaction: OpaquePointer?
        let code = unsafe mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
        guard code == 0, let transaction = unsafe transaction else { throw failure(code, "Opening the file") }
        let tables = UnsafeMutablePointer<MDB_dbi>.allocate(capacity: Table.allCases.count)
        do throws(StorageError) {
            for table in Table.allCases {
                unsafe tables[table.rawValue] = try handleOf(table, transaction)
            }
        } catch {
            unsafe mdb_txn_abort(transaction)
            unsafe tables.deallocate()
            throw error
        }
        // This keeps the handles.
        unsafe _ = mdb_txn_commit(transaction)
        return unsafe tables
    }

    private func handleOf(_ table: Table, _ transaction: OpaquePointer) throws(StorageError) -> MDB_dbi {
        var number: MDB_dbi = 0
        var code = unsafe mdb_dbi_open(transaction, table.name, 0, &number)
        if code == MDB_NOTFOUND {
            if table == .meta {
                throw StorageError(
                    .unsupportedFormat,
                    "The file '\(path)' is an LMDB file of something else. Open it with the program that made it."
                )
            }
            throw .corrupt("The table '\(table.name)' is missing")
        }
        guard code == 0 else { throw failure(code, "Opening the table '\(table.name)'") }
        var flags: UInt32 = 0
        unsafe code = mdb_dbi_flags(transaction, number, &flags)
        guard code == 0, flags == 0 else { throw failure(MDB_INCOMPATIBLE, "Opening the table '\(table.name)'") }
        return number
    }

    private func failure(_ code: Int32, _ doing: String) -> StorageError {
        let failure = LMDBFailure(code: code)
        if failure.isSuspicious && !options.immutable { SuspectMark.set(in: folder) }
        return failure.error(doing)
    }
}
