internal import CSetteeLMDB
internal import StorageProtocol

/// A cursor in a table of an LMDB file. In a snapshot it reads the pages itself; in the write transaction it uses
/// LMDB's.
@safe
final class LMDBCursor: StoreCursor {
    let transaction: LMDBTransaction
    let table: Table
    /// LMDB's cursor; nil for a snapshot, and once the cursor is closed.
    private var handle: OpaquePointer?
    private var isOpen = true
    /// In separate memory, which is accessed without the checks of a class's properties.
    private let state: UnsafeMutablePointer<State>

    /// Neighbours in the transaction's list of open cursors.
    private unowned(unsafe) var following: LMDBCursor?
    private unowned(unsafe) var preceding: LMDBCursor?

    @safe
    private struct State {
        var place = Place.nowhere
        var pages: MappedCursor
    }

    private enum Place {
        case nowhere
        case entry
        /// Between the neighbours of a removed entry.
        case gap
    }

    /// - Parameters:
    ///   - handle: LMDB's cursor, nil in a snapshot.
    ///   - pages: The snapshot's cursor; else one in an empty tree.
    init(_ transaction: LMDBTransaction, _ table: Table, _ handle: OpaquePointer?, _ pages: MappedCursor) {
        self.transaction = transaction
        self.table = table
        unsafe self.handle = unsafe handle
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: State(pages: pages))
        unsafe following = transaction.firstCursor
        unsafe following?.preceding = self
        unsafe transaction.firstCursor = self
    }

    deinit {
        close()
        unsafe state.deallocate()
    }

    // MARK: Moving

    func seek(_ place: CursorPlace) throws(StorageError) -> Bool {
        guard transaction.isSnapshot else { return try seekInLMDB(place) }
        return try look { (pages) throws(PageDamage) in
            switch place {
            case .first: try pages.seekFirst()
            case .last: try pages.seekLast()
            case .atOrAfter(let key): unsafe try pages.seek(atOrAfter: key)
            case .before(let key): unsafe try pages.seek(before: key)
            }
        }
    }

    func next() throws(StorageError) -> Bool {
        guard unsafe state.pointee.place != .nowhere else { return try standNowhere() }
        guard transaction.isSnapshot else { return try step(MDB_NEXT) }
        return try look { (pages) throws(PageDamage) in try pages.next() }
    }

    func previous() throws(StorageError) -> Bool {
        guard unsafe state.pointee.place != .nowhere else { return try standNowhere() }
        guard transaction.isSnapshot else { return try step(MDB_PREV) }
        return try look { (pages) throws(PageDamage) in try pages.previous() }
    }

    /// Moves from an entry to its neighbour, or from the gap that a removed entry has left.
    private func step(_ operation: MDB_cursor_op) throws(StorageError) -> Bool {
        let key = unsafe state.pointee.pages.entry.key
        if unsafe state.pointee.place == .entry {
            try transaction.admit { (pages) throws(PageDamage) in unsafe try pages.admitMove(from: key, in: table) }
        }
        return unsafe try move(operation)
    }

    private func standNowhere() throws(StorageError) -> Bool {
        try checkLive()
        return false
    }

    /// Moves in a snapshot.
    @inline(__always)
    private func look(_ move: (inout MappedCursor) throws(PageDamage) -> Bool) throws(StorageError) -> Bool {
        try checkLive()
        do throws(PageDamage) {
            guard unsafe try move(&state.pointee.pages) else {
                unsafe state.pointee.place = .nowhere
                return false
            }
            unsafe state.pointee.place = .entry
            return true
        } catch {
            unsafe state.pointee.place = .nowhere
            throw transaction.damaged(error)
        }
    }

    private func seekInLMDB(_ place: CursorPlace) throws(StorageError) -> Bool {
        try transaction.admit { (pages) throws(PageDamage) in
            switch place {
            case .first: try pages.admitEnd(of: table, isLast: false)
            case .last: try pages.admitEnd(of: table, isLast: true)
            case .atOrAfter(let key): unsafe try pages.admitMove(from: key, in: table)
            case .before(let key):
                unsafe try pages.admitMove(from: key, in: table)
                // If there is no entry at or after the key.
                try pages.admitEnd(of: table, isLast: true)
            }
        }
        switch place {
        case .first:
            return unsafe try move(MDB_FIRST)
        case .last:
            return unsafe try move(MDB_LAST)
        case .atOrAfter(let key):
            // LMDB has no empty keys.
            return unsafe try key.isEmpty ? move(MDB_FIRST) : move(MDB_SET_RANGE, key)
        case .before(let key):
            if unsafe key.isEmpty {
                unsafe state.pointee.place = .nowhere
                return false
            }
            return unsafe try move(MDB_SET_RANGE, key) ? try move(MDB_PREV) : try move(MDB_LAST)
        }
    }

    @inline(__always)
    private func move(
        _ operation: MDB_cursor_op,
        _ sought: UnsafeRawBufferPointer? = nil
    ) throws(StorageError) -> Bool {
        let handle = unsafe try live()
        var key = unsafe sought.map { unsafe MDB_val($0) } ?? MDB_val()
        var value = unsafe MDB_val()
        let code = unsafe mdb_cursor_get(handle, &key, &value, operation)
        if code == 0 {
            unsafe state.pointee.pages.note(key.bytes, value.bytes)
            unsafe state.pointee.place = .entry
            unsafe try transaction.checkValue(value.mv_size, of: key.bytes, in: table)
            return true
        }
        unsafe state.pointee.place = .nowhere
        guard code == MDB_NOTFOUND else { throw transaction.fail(code, "Reading the table '\(table.name)'") }
        return false
    }

    @inline(__always)
    private func checkLive() throws(StorageError) {
        unsafe _ = try transaction.live()
        guard isOpen else { throw StorageError(.notOpen, "The cursor is closed. Open a new one.") }
    }

    /// Returns LMDB's cursor.
    @inline(__always)
    private func live() throws(StorageError) -> OpaquePointer {
        try checkLive()
        guard let handle = unsafe handle else { throw .readOnly }
        return unsafe handle
    }

    // MARK: The entry

    var key: UnsafeRawBufferPointer {
        unsafe state.pointee.place == .entry
            ? state.pointee.pages.entry.key : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    var value: UnsafeRawBufferPointer {
        unsafe state.pointee.place == .entry
            ? state.pointee.pages.entry.value : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    @inline(__always)
    func put(
        _ key: UnsafeRawBufferPointer,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        let handle = unsafe try live()
        unsafe try transaction.admitPut(key, in: table, mode)
        unsafe state.pointee.place = .nowhere
        var lmdbKey = unsafe MDB_val(key)
        var value = unsafe MDB_val(mv_size: length, mv_data: nil)
        let code = unsafe mdb_cursor_put(handle, &lmdbKey, &value, mode.flags)
        if code == 0 {
            unsafe fill(UnsafeMutableRawBufferPointer(start: value.mv_data, count: length))
            if let notes = transaction.notes { unsafe notes.note(LoggedKey(key, in: table)) }
            return true
        }
        guard code == MDB_KEYEXIST && mode.refusesPresent else {
            throw transaction.fail(code, "Writing the table '\(table.name)'")
        }
        return false
    }

    func remove() throws(StorageError) {
        let handle = unsafe try live()
        guard unsafe state.pointee.place == .entry else {
            throw StorageError(.storage, "The cursor stands on no entry that it could remove.")
        }
        // The key is no longer available afterwards.
        let removed = unsafe transaction.notes == nil ? nil : LoggedKey(key, in: table)
        let key = unsafe key
        try transaction.admit { (pages) throws(PageDamage) in unsafe try pages.admitRemoval(key, in: table) }
        let code = unsafe mdb_cursor_del(handle, 0)
        guard code == 0 else { throw transaction.fail(code, "Writing the table '\(table.name)'") }
        if let removed { transaction.notes?.note(removed) }
        unsafe state.pointee.place = .gap
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        unsafe state.pointee.place = .nowhere
        unsafe state.pointee.pages.deallocate()
        if transaction.environment.isInherited { return }
        if let handle = unsafe handle { unsafe mdb_cursor_close(handle) }
        unsafe self.handle = nil
        if let preceding = unsafe preceding {
            unsafe preceding.following = following
        } else {
            unsafe transaction.firstCursor = following
        }
        unsafe following?.preceding = preceding
    }
}
