internal import CSetteeLMDB
internal import StorageProtocol

/// A snapshot, or the write transaction, of an LMDB file.
@safe
final class LMDBTransaction: CountingTransaction {
    /// Every build of LMDB takes keys of 511 bytes. Computed, so that the compiler can inline what follows from it.
    static var longestKey: Int? { 481 }

    let environment: LMDBEnvironment
    private let tables: UnsafeMutablePointer<MDB_dbi>
    /// Nil once the transaction is over.
    private var handle: OpaquePointer?
    /// The same handle, also nil once the transaction is doomed.
    private var usable: OpaquePointer?
    /// Whether a commit is synced completely. Otherwise it leaves its meta page for the system to write.
    private let isFullySynced: Bool
    /// The reader slot of a snapshot. Its pages are read without LMDB, which trusts the content of every page.
    private let reader: LMDBReader?
    /// The thread that owns LMDB's writer lock; nil for a snapshot.
    private let thread: ThreadIdentity?
    /// The error that doomed the write transaction.
    private var failure: StorageError?
    /// Records changes for a rewrite of the file.
    let notes: CommitNotes?
    /// The trees of a snapshot, or of the one with which the write transaction began.
    let pages: SnapshotPages
    /// Checks the pages that LMDB is about to use. Nil for a snapshot.
    let writer: WriterPages?
    /// The first in a list of the open cursors.
    unowned(unsafe) var firstCursor: LMDBCursor?

    init(reading environment: LMDBEnvironment, _ reader: LMDBReader) {
        self.environment = environment
        unsafe tables = environment.tables
        unsafe handle = reader.handle
        unsafe usable = handle
        self.reader = reader
        pages = reader.pages
        writer = nil
        thread = nil
        notes = nil
        isFullySynced = true
    }

    init(
        writing environment: LMDBEnvironment,
        _ handle: OpaquePointer,
        _ writer: WriterPages,
        isFullySynced: Bool
    ) {
        self.environment = environment
        self.writer = writer
        pages = writer.pages
        unsafe tables = environment.tables
        unsafe self.handle = unsafe handle
        unsafe usable = handle
        reader = nil
        thread = ThreadIdentity.current
        let observers = environment.followers.withLock { $0 }
        notes = observers.isEmpty ? nil : CommitNotes(observers)
        self.isFullySynced = isFullySynced
    }

    deinit { end() }

    /// Returns the handle, if the transaction can be used.
    @inline(__always)
    func live() throws(StorageError) -> OpaquePointer {
        guard !environment.isInherited, let usable = unsafe usable else { throw refusal }
        return unsafe usable
    }

    /// The reason why the transaction cannot be used.
    private var refusal: StorageError {
        if environment.isInherited { return .inherited }
        return failure ?? StorageError(.notOpen, "The transaction is over. Begin a new one.")
    }

    /// Returns the error for one of LMDB's codes. After it, a write transaction can only be ended.
    func fail(_ code: Int32, _ doing: String) -> StorageError {
        let error = environment.failure(code, doing)
        if reader == nil && error.code.isStorageFailure {
            failure = error
            unsafe usable = nil
        }
        return error
    }

    var isSnapshot: Bool { reader != nil }

    /// Returns the error for damage found when checking the pages. Sets the mark for the next open. After it, a write
    /// transaction can only be ended.
    @inline(never)
    func damaged(_ damage: PageDamage) -> StorageError {
        environment.suspect()
        let error = damage.storageError
        if reader == nil {
            failure = error
            unsafe usable = nil
        }
        return error
    }

    /// Lets LMDB use pages after `look` has checked them. Does nothing in a snapshot.
    @inline(__always)
    func admit(_ look: (WriterPages) throws(PageDamage) -> Void) throws(StorageError) {
        guard let writer else { return }
        do throws(PageDamage) {
            try look(writer)
        } catch {
            throw damaged(error)
        }
    }

    // MARK: Entries

    @inline(__always)
    func withValue<R>(
        of key: UnsafeRawBufferPointer,
        in table: Table,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let handle = unsafe try live()
        // LMDB has no empty keys.
        if unsafe key.isEmpty { return try use(nil) }
        if isSnapshot { return unsafe try use(find(key, in: table)) }
        try admit { (pages) throws(PageDamage) in unsafe try pages.admit(key, in: table) }
        var lmdbKey = unsafe MDB_val(key)
        var value = unsafe MDB_val()
        let code = unsafe mdb_get(handle, tables[table.rawValue], &lmdbKey, &value)
        if code == 0 {
            unsafe try checkValue(value.mv_size, of: key, in: table)
            return unsafe try use(value.bytes)
        }
        guard code == MDB_NOTFOUND else { throw fail(code, "Reading the table '\(table.name)'") }
        return try use(nil)
    }

    /// Checks the overflow pages of a value that LMDB has found.
    @inline(__always)
    func checkValue(_ length: Int, of key: UnsafeRawBufferPointer, in table: Table) throws(StorageError) {
        try admit { (pages) throws(PageDamage) in
            if pages.mayOverflow(length) { unsafe try pages.admitChange(key, in: table) }
        }
    }

    /// Called before an entry is written.
    @inline(__always)
    func admitPut(_ key: UnsafeRawBufferPointer, in table: Table, _ mode: PutMode) throws(StorageError) {
        try admit { (pages) throws(PageDamage) in
            switch mode {
            case .append: try pages.admitEnd(of: table, isLast: true)
            case .insert, .new, .upsert: unsafe try pages.admitChange(key, in: table)
            }
        }
    }

    @unsafe
    private func find(
        _ key: UnsafeRawBufferPointer,
        in table: Table
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        do throws(PageDamage) {
            return unsafe try pages.root(table).value(of: key, pages.space)
        } catch {
            throw damaged(error)
        }
    }

    @inline(__always)
    func put(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        let handle = unsafe try writable()
        unsafe try admitPut(key, in: table, mode)
        var lmdbKey = unsafe MDB_val(key)
        var value = unsafe MDB_val(mv_size: length, mv_data: nil)
        let code = unsafe mdb_put(handle, tables[table.rawValue], &lmdbKey, &value, mode.flags)
        if code == 0 {
            unsafe fill(UnsafeMutableRawBufferPointer(start: value.mv_data, count: length))
            if let notes { unsafe notes.note(LoggedKey(key, in: table)) }
            return true
        }
        guard code == MDB_KEYEXIST && mode.refusesPresent else { throw fail(code, "Writing the table '\(table.name)'") }
        return false
    }

    /// LMDB finds out at no extra cost whether the key exists.
    func remove(_ key: UnsafeRawBufferPointer, in table: Table, mode: RemoveMode) throws(StorageError) -> Bool {
        let handle = unsafe try writable()
        if unsafe key.isEmpty { return false }
        try admit { (pages) throws(PageDamage) in unsafe try pages.admitRemoval(key, in: table) }
        var lmdbKey = unsafe MDB_val(key)
        let code = unsafe mdb_del(handle, tables[table.rawValue], &lmdbKey, nil)
        if code == 0 {
            if let notes { unsafe notes.note(LoggedKey(key, in: table)) }
            return true
        }
        guard code == MDB_NOTFOUND else { throw fail(code, "Writing the table '\(table.name)'") }
        return false
    }

    /// Any use is the same to LMDB: it has no cache of its own, and a bound saves it nothing.
    func cursor(_ table: Table, for use: CursorUse) throws(StorageError) -> LMDBCursor {
        let handle = unsafe try live()
        if isSnapshot { return try snapshotCursor(table) }
        try admit { (pages) throws(PageDamage) in try pages.admitEnd(of: table, isLast: false) }
        var cursor: OpaquePointer?
        let code = unsafe mdb_cursor_open(handle, tables[table.rawValue], &cursor)
        guard code == 0, let cursor = unsafe cursor else { throw fail(code, "Reading the table '\(table.name)'") }
        return unsafe LMDBCursor(self, table, cursor, MappedCursor(.empty, pages.space))
    }

    private func snapshotCursor(_ table: Table) throws(StorageError) -> LMDBCursor {
        do throws(PageDamage) {
            return unsafe LMDBCursor(self, table, nil, MappedCursor(try pages.root(table), pages.space))
        } catch {
            throw damaged(error)
        }
    }

    @inline(__always)
    func writable() throws(StorageError) -> OpaquePointer {
        let handle = unsafe try live()
        if reader != nil { throw .readOnly }
        return unsafe handle
    }

    // MARK: Figures

    var version: UInt64 {
        guard let handle = unsafe handle else { return 0 }
        return unsafe UInt64(mdb_txn_id(handle))
    }

    func count(of table: Table) throws(StorageError) -> UInt64 {
        let handle = unsafe try live()
        if isSnapshot {
            do throws(PageDamage) {
                return try pages.root(table).entries
            } catch {
                throw damaged(error)
            }
        }
        try admit { (pages) throws(PageDamage) in try pages.admitEnd(of: table, isLast: false) }
        var figures = MDB_stat()
        let code = unsafe mdb_stat(handle, tables[table.rawValue], &figures)
        guard code == 0 else { throw fail(code, "Reading the table '\(table.name)'") }
        return UInt64(figures.ms_entries)
    }

    // MARK: Ending

    func commit() throws(StorageError) {
        let handle: OpaquePointer
        do throws(StorageError) {
            unsafe handle = try live()
        } catch {
            end()
            throw error
        }
        guard reader == nil else { return end() }
        closeCursors()
        unsafe self.handle = nil
        unsafe usable = nil
        let number = unsafe UInt64(mdb_txn_id(handle))
        notes?.willCommit(number)
        let code = unsafe mdb_txn_commit(handle)
        notes?.didCommit(code == 0)
        guard code == 0 else {
            // Before the next writer begins, because this failure may have made the environment unusable.
            let error = environment.commitFailure(code, of: number)
            environment.endWrite(isUnsynced: false)
            throw error
        }
        environment.endWrite(isUnsynced: !isFullySynced)
    }

    func end() {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        unsafe usable = nil
        // A child of fork leaves its parent's resources unchanged.
        if environment.isInherited { return }
        closeCursors()
        if let reader {
            environment.end(reader)
        } else {
            guard thread == ThreadIdentity.current else { return environment.strandWrite() }
            unsafe mdb_txn_abort(handle)
            environment.endWrite(isUnsynced: false)
        }
    }

    private func closeCursors() {
        while let cursor = unsafe firstCursor { cursor.close() }
    }
}

extension MDB_val {
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @inline(__always)
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

extension PutMode {
    /// Whether an existing key is a valid result and not a failure.
    var refusesPresent: Bool { self == .insert || self == .new }

    /// The flags of LMDB's calls.
    @inline(__always)
    var flags: UInt32 {
        switch self {
        case .upsert: UInt32(MDB_RESERVE)
        case .insert, .new: UInt32(MDB_RESERVE | MDB_NOOVERWRITE)
        case .append: UInt32(MDB_RESERVE | MDB_APPEND)
        }
    }
}
