internal import CSetteeLMDB
internal import StorageProtocol

/// A place in a table of an LMDB file.
@safe
final class LMDBCursor: StoreCursor {
    private let transaction: LMDBTransaction
    private let table: Table
    /// Nil once the cursor is closed.
    private var handle: OpaquePointer?
    /// In memory of its own, which LMDB writes without the checks that a class's properties have.
    private let entry: UnsafeMutablePointer<Entry>

    /// Neighbours in the transaction's list of open cursors.
    private unowned(unsafe) var following: LMDBCursor?
    private unowned(unsafe) var preceding: LMDBCursor?

    @safe
    private struct Entry {
        var place = Place.nowhere
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
    }

    private enum Place {
        case nowhere
        case entry
        /// Between the neighbours of an entry that was removed.
        case gap
    }

    init(_ transaction: LMDBTransaction, _ table: Table, _ handle: OpaquePointer) {
        self.transaction = transaction
        self.table = table
        unsafe self.handle = unsafe handle
        unsafe entry = .allocate(capacity: 1)
        unsafe entry.initialize(to: Entry())
        unsafe following = transaction.firstCursor
        unsafe following?.preceding = self
        unsafe transaction.firstCursor = self
    }

    deinit {
        close()
        unsafe entry.deallocate()
    }

    // MARK: Moving

    func seek(_ place: CursorPlace) throws(StorageError) -> Bool {
        switch place {
        case .first:
            return try move(MDB_FIRST)
        case .last:
            return try move(MDB_LAST)
        case .atOrAfter(let key):
            // LMDB has no empty keys.
            if unsafe key.isEmpty { return try move(MDB_FIRST) }
            unsafe entry.pointee.key = unsafe MDB_val(key)
            return try move(MDB_SET_RANGE)
        case .before(let key):
            if unsafe key.isEmpty {
                unsafe entry.pointee.place = .nowhere
                return false
            }
            unsafe entry.pointee.key = unsafe MDB_val(key)
            return try move(MDB_SET_RANGE) ? try move(MDB_PREV) : try move(MDB_LAST)
        }
    }

    func next() throws(StorageError) -> Bool {
        try step(MDB_NEXT)
    }

    func previous() throws(StorageError) -> Bool {
        try step(MDB_PREV)
    }

    @inline(__always)
    private func step(_ operation: MDB_cursor_op) throws(StorageError) -> Bool {
        guard unsafe entry.pointee.place == .nowhere else { return try move(operation) }
        unsafe _ = try live()
        return false
    }

    @inline(__always)
    private func move(_ operation: MDB_cursor_op) throws(StorageError) -> Bool {
        let handle = unsafe try live()
        let code = unsafe mdb_cursor_get(handle, &entry.pointee.key, &entry.pointee.value, operation)
        if code == 0 {
            unsafe entry.pointee.place = .entry
            return true
        }
        unsafe entry.pointee.place = .nowhere
        guard code == MDB_NOTFOUND else { throw transaction.fail(code, "Reading the table '\(table.name)'") }
        return false
    }

    @inline(__always)
    private func live() throws(StorageError) -> OpaquePointer {
        unsafe _ = try transaction.live()
        guard let handle = unsafe handle else { throw StorageError(.notOpen, "The cursor is closed. Open a new one.") }
        return unsafe handle
    }

    // MARK: The entry

    var key: UnsafeRawBufferPointer {
        unsafe entry.pointee.place == .entry ? entry.pointee.key.bytes : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    var value: UnsafeRawBufferPointer {
        unsafe entry.pointee.place == .entry ? entry.pointee.value.bytes : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    @inline(__always)
    func put(
        _ key: UnsafeRawBufferPointer,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        let handle = unsafe try live()
        unsafe _ = try transaction.writable()
        unsafe entry.pointee.place = .nowhere
        var lmdbKey = unsafe MDB_val(key)
        var value = unsafe MDB_val(mv_size: length, mv_data: nil)
        let code = unsafe mdb_cursor_put(handle, &lmdbKey, &value, mode.flags)
        if code == 0 {
            unsafe fill(UnsafeMutableRawBufferPointer(start: value.mv_data, count: length))
            if let notes = transaction.notes { unsafe notes.note(LoggedKey(key, in: table)) }
            return true
        }
        guard code == MDB_KEYEXIST && mode == .insert else {
            throw transaction.fail(code, "Writing the table '\(table.name)'")
        }
        return false
    }

    func remove() throws(StorageError) {
        let handle = unsafe try live()
        unsafe _ = try transaction.writable()
        guard unsafe entry.pointee.place == .entry else {
            throw StorageError(.storage, "The cursor stands on no entry that it could remove.")
        }
        // Afterwards the key is not there any more.
        let removed = unsafe transaction.notes == nil ? nil : LoggedKey(key, in: table)
        let code = unsafe mdb_cursor_del(handle, 0)
        guard code == 0 else { throw transaction.fail(code, "Writing the table '\(table.name)'") }
        if let removed { transaction.notes?.note(removed) }
        unsafe entry.pointee.place = .gap
    }

    func close() {
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        unsafe entry.pointee.place = .nowhere
        if transaction.environment.isInherited { return }
        unsafe mdb_cursor_close(handle)
        if let preceding = unsafe preceding {
            unsafe preceding.following = following
        } else {
            unsafe transaction.firstCursor = following
        }
        unsafe following?.preceding = preceding
    }
}
