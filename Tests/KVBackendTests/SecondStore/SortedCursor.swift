import StorageProtocol

@testable import SetteeKV

final class SortedCursor<Limit: KeyLimit>: StoreCursor {
    private let transaction: SortedTransaction<Limit>
    private let table: Table
    private let bounds: ByteRange
    /// The present entry; nil: nowhere.
    private var index: Int?
    private var isRemoved = false
    private var lent: [LentBytes] = []

    init(_ transaction: SortedTransaction<Limit>, _ table: Table, lower: [UInt8]?, upper: [UInt8]?) {
        self.transaction = transaction
        self.table = table
        bounds = ByteRange(
            lower: lower.map { .including($0) } ?? .open,
            upper: upper.map { .including($0) } ?? .open
        )
    }

    private var content: SortedTable { transaction.tables[table.rawValue] }

    private func stand(at place: Int) -> Bool {
        isRemoved = false
        index = content.places(in: bounds).contains(place) ? place : nil
        return index != nil
    }

    func seek(_ place: CursorPlace) throws(StorageError) -> Bool {
        transaction.operations += 1
        close()
        let places = content.places(in: bounds)
        switch place {
        case .first: return stand(at: places.lowerBound)
        case .last: return stand(at: places.upperBound - 1)
        case .atOrAfter(let key): return stand(at: max(places.lowerBound, content.place(of: key).index))
        case .before(let key): return stand(at: min(places.upperBound, content.place(of: key).index) - 1)
        }
    }

    func next() throws(StorageError) -> Bool {
        transaction.operations += 1
        guard let index else { return false }
        close()
        return stand(at: isRemoved ? index : index + 1)
    }

    func previous() throws(StorageError) -> Bool {
        transaction.operations += 1
        guard let index else { return false }
        close()
        return stand(at: index - 1)
    }

    var key: UnsafeRawBufferPointer { lend(\.key) }
    var value: UnsafeRawBufferPointer { lend(\.value) }

    private func lend(_ part: KeyPath<(key: [UInt8], value: [UInt8]), [UInt8]>) -> UnsafeRawBufferPointer {
        guard let index, !isRemoved else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        lent.append(LentBytes(content.entries[index][keyPath: part]))
        return lent[lent.count - 1].bytes
    }

    func put(
        _ key: UnsafeRawBufferPointer,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        close()
        index = nil
        return try transaction.put(key, in: table, length: length, mode: mode, fill)
    }

    func remove() throws(StorageError) {
        transaction.operations += 1
        guard let index, !isRemoved else { throw StorageError(.storage, "The cursor stands nowhere") }
        close()
        transaction.tables[table.rawValue].entries.remove(at: index)
        isRemoved = true
    }

    func close() { lent = [] }
}
