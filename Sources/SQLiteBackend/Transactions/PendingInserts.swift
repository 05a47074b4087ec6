internal import StorageProtocol

/// New records that have not been passed to SQLite yet: copies of their bytes in one block of memory.
///
/// SQLite inserts many rows in one statement considerably faster than one by one.
@safe
final class PendingInserts {
    /// The most records that are kept here.
    static let rowsAtOnce = 64
    private static let capacity = 256 << 10
    /// Larger records go to SQLite at once, without a copy.
    static let largest = 8 << 10

    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: PendingInserts.capacity, alignment: 16)
    /// Columns as in the statement: ID, sequence, flags, live documents, winner, tree, body.
    private let cells = RowCells(columns: 7, capacity: PendingInserts.rowsAtOnce)
    private(set) var count = 0
    private var end = 0

    deinit { unsafe block.deallocate() }

    /// Whether there may be no room for another record.
    var isFull: Bool {
        count == PendingInserts.rowsAtOnce || PendingInserts.capacity - end < PendingInserts.largest
    }

    /// Copies a record of at most `largest` bytes. There must be room: see `isFull`.
    @unsafe
    func append(
        sequence: Int64,
        flags: Int64,
        live: Int64,
        id: UnsafeRawBufferPointer,
        winner: StoredWinner,
        tree: UnsafeRawBufferPointer,
        body: UnsafeRawBufferPointer
    ) {
        unsafe cells.setText(count, 0, copy(id))
        cells.set(count, 1, to: sequence)
        cells.set(count, 2, to: flags)
        cells.set(count, 3, to: live)
        switch winner {
        case .inTree(let number): cells.set(count, 4, to: number)
        case .text(let text): unsafe cells.setText(count, 4, copy(text))
        }
        unsafe cells.setBlob(count, 5, copy(tree))
        unsafe cells.setText(count, 6, copy(body))
        count += 1
    }

    @inline(__always)
    @unsafe
    private func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let place = unsafe UnsafeMutableRawBufferPointer(rebasing: block[end..<end + bytes.count])
        unsafe place.copyMemory(from: bytes)
        end += bytes.count
        return UnsafeRawBufferPointer(place)
    }

    /// Whether a record with this ID is pending here.
    @unsafe
    func contains(_ id: UnsafeRawBufferPointer) -> Bool {
        for row in 0..<count {
            let other = unsafe cells.bytes(row, 0)
            guard other.count == id.count else { continue }
            if unsafe compareBytes(other.bytes, id.bytes) == 0 { return true }
        }
        return false
    }

    /// Whether a record with this sequence is pending here.
    func contains(sequence: Int64) -> Bool {
        for row in 0..<count where cells.number(row, 1) == sequence { return true }
        return false
    }

    /// Passes all records to SQLite.
    func write(in transaction: SQLiteWriteTransaction) throws(StorageError) {
        defer { (count, end) = (0, 0) }
        guard count >= Query.fewestFed else {
            for row in 0..<count { try transaction.run(Query(.insert)) { cells.bind(row, to: $0) } }
            return
        }
        let connection = transaction.connection
        let statement = try connection.take(Query(.insertMany))
        defer { connection.give(statement) }
        do throws(StorageError) {
            try connection.run(statement, feeding: cells, count)
        } catch {
            transaction.didFail(error)
            throw error
        }
    }
}
