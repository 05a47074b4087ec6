import StorageProtocol

@testable import SetteeKV

/// A store in sorted arrays, which counts the operations: the store protocol without a library. It keeps to what the
/// protocol says as narrowly as possible: what it lends is overwritten when it is no longer valid, a cursor shows
/// nothing outside of the bounds that it was made for, and calls report only what was asked for.
final class SortedTransaction<Limit: KeyLimit>: OrderedTransaction {
    static var longestKey: Int? { Limit.longestKey }

    var tables: SortedTables
    /// Look-ups, seeks, steps and changes so far.
    var operations = 0
    /// What cursors were made for so far.
    private(set) var uses: [SortedUse] = []
    private let store: SortedStore<Limit>?

    /// - Parameter store: Where `commit` puts the tables.
    init(_ tables: SortedTables = .empty, of store: SortedStore<Limit>? = nil) {
        self.tables = tables
        self.store = store
    }

    func place(of key: UnsafeRawBufferPointer, in table: Table) -> (index: Int, isFound: Bool) {
        tables[table.rawValue].place(of: key)
    }

    private func checkLength(_ key: UnsafeRawBufferPointer) {
        precondition((1...(Limit.longestKey ?? .max)).contains(key.count))
    }

    func withValue<R>(
        of key: UnsafeRawBufferPointer,
        in table: Table,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        operations += 1
        checkLength(key)
        let place = place(of: key, in: table)
        guard place.isFound else { return try use(nil) }
        let value = tables[table.rawValue].entries[place.index].value
        return try value.span.bytes.withUnsafeBytes { (bytes) throws(StorageError) in try use(bytes) }
    }

    /// Looks all of them up before it passes on the first.
    func values(
        of keys: some KeyList,
        in table: Table,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var last: [UInt8] = []
        var values: [[UInt8]?] = []
        for number in 0..<keys.count {
            try keys.withKey(number) { (key) throws(StorageError) in
                checkLength(key)
                precondition(compareBytes(last, Array(key)) <= 0, "The keys are not in order")
                last = Array(key)
                let place = place(of: key, in: table)
                values.append(place.isFound ? tables[table.rawValue].entries[place.index].value : nil)
            }
        }
        operations += 1
        for (number, value) in values.enumerated() {
            let lent = value.map { LentBytes($0) }
            let goesOn = try keys.withKey(number) { (key) throws(StorageError) in try use(number, key, lent?.bytes) }
            if !goesOn { return }
        }
    }

    func cursor(_ table: Table, for use: CursorUse) throws(StorageError) -> SortedCursor<Limit> {
        uses.append(SortedUse(table: table, fillsCaches: use.fillsCaches, isBounded: use.lower != nil))
        return SortedCursor(self, table, lower: use.lower.map { Array($0) }, upper: use.upper.map { Array($0) })
    }

    func put(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        length: Int,
        mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        operations += 1
        checkLength(key)
        let place = place(of: key, in: table)
        if place.isFound && mode == .insert { return false }
        if mode == .append && place.index < tables[table.rawValue].entries.count {
            throw StorageError(.storage, "The key is not above the others")
        }
        var value = [UInt8](repeating: 0xEE, count: length)
        value.withUnsafeMutableBytes { fill($0) }
        if place.isFound {
            tables[table.rawValue].entries[place.index].value = value
        } else {
            tables[table.rawValue].entries.insert((Array(key), value), at: place.index)
        }
        return true
    }

    /// Like a log of changes: it reports only what is requested.
    func remove(_ key: UnsafeRawBufferPointer, in table: Table, mode: RemoveMode) throws(StorageError) -> Bool {
        operations += 1
        checkLength(key)
        let place = place(of: key, in: table)
        if place.isFound { tables[table.rawValue].entries.remove(at: place.index) }
        return place.isFound || mode == .known
    }

    /// One operation, whatever is in the range, unless it is to stop early.
    func removeRange(
        _ range: ByteRange,
        in table: Table,
        until end: ContinuousClock.Instant?
    ) throws(StorageError) -> RangeRemoval {
        operations += 1
        var hasRemoved = false
        while true {
            let found = tables[table.rawValue].places(in: range)
            if found.isEmpty { return RangeRemoval(isComplete: true, hasRemoved: hasRemoved) }
            if let end, hasRemoved, ContinuousClock.now >= end {
                return RangeRemoval(isComplete: false, hasRemoved: true)
            }
            tables[table.rawValue].entries.removeSubrange(end == nil ? found : found.prefix(16))
            hasRemoved = true
        }
    }

    func commit() throws(StorageError) { store?.content.withLock { $0 = tables } }
    func end() {}
}

/// A `CursorUse` without the bytes of its bounds.
struct SortedUse: Equatable {
    let table: Table
    let fillsCaches: Bool
    let isBounded: Bool
}
