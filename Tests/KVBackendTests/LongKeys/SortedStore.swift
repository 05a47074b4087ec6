import StorageProtocol

@testable import SetteeKV

/// A store in sorted arrays, which counts the operations: the store protocol without a library.
final class SortedTransaction: OrderedTransaction {
    static var longestKey: Int? { 481 }
    var tables = [[(key: [UInt8], value: [UInt8])]](repeating: [], count: Table.allCases.count)
    /// Look-ups, seeks, steps and changes so far.
    var operations = 0

    func place(of key: UnsafeRawBufferPointer, in table: Table) -> (index: Int, isFound: Bool) {
        let entries = tables[table.rawValue]
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key.withUnsafeBytes({ compareBytes($0.bytes, key.bytes) }) < 0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return (low, low < entries.count && entries[low].key.elementsEqual(key))
    }

    func withValue<R>(
        of key: UnsafeRawBufferPointer,
        in table: Table,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        operations += 1
        precondition((1...511).contains(key.count))
        let place = place(of: key, in: table)
        guard place.isFound else { return try use(nil) }
        let value = tables[table.rawValue][place.index].value
        return try value.span.bytes.withUnsafeBytes { (bytes) throws(StorageError) in try use(bytes) }
    }

    func cursor(_ table: Table) throws(StorageError) -> SortedCursor { SortedCursor(self, table) }

    func put(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        operations += 1
        precondition((1...511).contains(key.count))
        let place = place(of: key, in: table)
        if place.isFound && mode == .insert { return false }
        if mode == .append && place.index < tables[table.rawValue].count {
            throw StorageError(.storage, "The key is not above the others")
        }
        var value = [UInt8](repeating: 0xEE, count: length)
        value.withUnsafeMutableBytes { fill($0) }
        if place.isFound {
            tables[table.rawValue][place.index].value = value
        } else {
            tables[table.rawValue].insert((Array(key), value), at: place.index)
        }
        return true
    }

    /// Like a log of changes: it reports only what is requested.
    func remove(_ key: UnsafeRawBufferPointer, in table: Table, mode: RemoveMode) throws(StorageError) -> Bool {
        operations += 1
        let place = place(of: key, in: table)
        if place.isFound { tables[table.rawValue].remove(at: place.index) }
        return place.isFound || mode == .known
    }

    func commit() throws(StorageError) {}
    func end() {}
}

final class SortedCursor: StoreCursor {
    private let transaction: SortedTransaction
    private let table: Table
    /// The present entry; nil: nowhere.
    private var index: Int?
    private var isRemoved = false
    private var lent: [UnsafeMutableRawBufferPointer] = []

    init(_ transaction: SortedTransaction, _ table: Table) {
        self.transaction = transaction
        self.table = table
    }

    deinit { close() }

    private var entries: [(key: [UInt8], value: [UInt8])] { transaction.tables[table.rawValue] }

    private func stand(at place: Int) -> Bool {
        isRemoved = false
        index = entries.indices.contains(place) ? place : nil
        return index != nil
    }

    func seek(_ place: CursorPlace) throws(StorageError) -> Bool {
        transaction.operations += 1
        close()
        switch place {
        case .first: return stand(at: 0)
        case .last: return stand(at: entries.count - 1)
        case .atOrAfter(let key): return stand(at: transaction.place(of: key, in: table).index)
        case .before(let key): return stand(at: transaction.place(of: key, in: table).index - 1)
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

    /// Bytes that are overwritten when the cursor moves, so that later use is noticed.
    private func lend(_ part: KeyPath<(key: [UInt8], value: [UInt8]), [UInt8]>) -> UnsafeRawBufferPointer {
        guard let index, !isRemoved else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let bytes = entries[index][keyPath: part]
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyBytes(from: bytes)
        lent.append(copy)
        return UnsafeRawBufferPointer(copy)
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
        transaction.tables[table.rawValue].remove(at: index)
        isRemoved = true
    }

    func close() {
        for copy in lent {
            copy.initializeMemory(as: UInt8.self, repeating: 0xDD)
            copy.deallocate()
        }
        lent = []
    }
}
