#if RocksDB
internal import StorageEngineKit
internal import StorageProtocol

/// The changes of a write transaction, in memory: in the format of RocksDB's `WriteBatch`, which a commit writes as it
/// is, with an order of the keys over it. RocksDB's own `WriteBatchWithIndex` takes several times as long for a put
/// (docs/decisions/0067-a-batch-of-our-own-over-rocksdb.md).
///
/// Format, of which all numbers are little-endian: 8 bytes of zeros for a sequence, the count of changes in 4 bytes,
/// and the changes: a byte for the kind, the number of the family as a varint, which the first family does not have,
/// the length of the key as a varint, the key, and for a put the length of the value as a varint, and the value. The
/// removal of a range has the bound above it as its value.
/// Source: `db/write_batch.cc` of RocksDB; the log has the same records.
@safe
final class RocksDBBatch {
    private var memory: UnsafeMutableRawBufferPointer
    /// How many bytes it has.
    private(set) var byteCount = headLength
    private var changeCount: UInt32 = 0
    /// The changes of each table in the order of their keys.
    private let tables: [RocksDBChanges]
    /// The number of each table's family.
    private let families: [UInt32]
    /// The last change that was added.
    private(set) var lastAdded: RocksDBChange?
    /// The highest keys of the tables in the database with these changes, as far as they are known.
    private var highestKeys: [[UInt8]]
    private var isHighestKnown: [Bool]

    private static let headLength = 12
    /// A kind, a family, two lengths.
    private static let mostAround = 1 + 3 * 5
    /// A batch that has more memory is not used again.
    private static let mostKept = 8 << 20

    init(families: [UInt32]) {
        unsafe memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        tables = families.map { _ in RocksDBChanges() }
        highestKeys = families.map { _ in [] }
        isHighestKnown = families.map { _ in false }
        self.families = families
    }

    deinit { unsafe memory.deallocate() }

    var isEmpty: Bool { changeCount == 0 }
    var isWorthKeeping: Bool { unsafe memory.count <= RocksDBBatch.mostKept }

    func removeAll() {
        byteCount = RocksDBBatch.headLength
        changeCount = 0
        for changes in tables where !changes.isEmpty { changes.removeAll() }
    }

    // MARK: The highest keys

    /// Whether `key` is above all keys of a table; nil if its highest one is not known.
    @inline(__always)
    func isHighest(_ key: UnsafeRawBufferPointer, in table: Table) -> Bool? {
        unsafe orderOfHighest(to: key, in: table).map { $0 < 0 }
    }

    @inline(__always)
    private func orderOfHighest(to key: UnsafeRawBufferPointer, in table: Table) -> Int? {
        guard isHighestKnown[table.rawValue] else { return nil }
        return unsafe highestKeys[table.rawValue].withUnsafeBytes { unsafe compareBytes($0.bytes, key.bytes) }
    }

    /// Records the highest key of a table.
    func setHighest(_ key: UnsafeRawBufferPointer, in table: Table) {
        isHighestKnown[table.rawValue] = true
        highestKeys[table.rawValue].removeAll(keepingCapacity: true)
        unsafe highestKeys[table.rawValue].append(contentsOf: key)
    }

    /// Discards what is known of the highest keys, of which some were not written.
    func forgetHighest() {
        for table in isHighestKnown.indices { isHighestKnown[table] = false }
    }

    /// All changes. Valid until the next one.
    var bytes: UnsafeRawBufferPointer {
        unsafe memory.storeBytes(of: 0, as: UInt64.self)
        unsafe memory.storeBytes(of: changeCount.littleEndian, toByteOffset: 8, as: UInt32.self)
        return unsafe UnsafeRawBufferPointer(rebasing: memory[..<byteCount])
    }

    // MARK: Reading

    /// The changes of a table.
    @inline(__always)
    subscript(table: Table) -> RocksDBChanges { tables[table.rawValue] }

    /// Where the keys and values are. Another one after the next change.
    @inline(__always)
    var start: UnsafeMutableRawPointer { unsafe memory.baseAddress.unsafelyUnwrapped }

    /// The key of a change. Valid until the next change.
    @inline(__always)
    func key(of change: RocksDBChange) -> UnsafeRawBufferPointer { unsafe change.key(in: start).bytes }

    /// The value of a put. Valid until the next change.
    @inline(__always)
    func value(of change: RocksDBChange) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start.advanced(by: Int(change.value)), count: Int(change.valueLength))
    }

    /// Returns the change of a key, if there is one.
    @inline(__always)
    func change(of key: UnsafeRawBufferPointer, in table: Table) -> RocksDBChange? {
        let changes = self[table]
        if changes.isEmpty { return nil }
        if let change = unsafe changes[changes.place(atOrAfter: RocksDBKey(key), in: start)],
            unsafe self.key(of: change).equals(key)
        {
            return change
        }
        return unsafe changes.ranges.range(of: key, in: start).map { _ in .removal }
    }

    // MARK: Writing

    /// Adds a put. The key, and what `fill` reads, may lie in the batch.
    func put(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        length: Int,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) {
        let old = unsafe makeRoom(for: key.count + length)
        if unsafe isHighest(key, in: table) == true { unsafe setHighest(key, in: table) }
        let (start, keyEnd) = unsafe begin(key, in: table, kind: 1, kindInFamily: 5)
        var value = keyEnd
        unsafe Varint.write(UInt64(length), to: memory, &value)
        unsafe fill(UnsafeMutableRawBufferPointer(rebasing: memory[value..<value + length]))
        end(at: value + length, value: UInt32(value), valueLength: UInt32(length), start, key.count, in: table)
        unsafe old?.deallocate()
    }

    /// Adds a removal. The key may lie in the batch.
    func remove(_ key: UnsafeRawBufferPointer, in table: Table) {
        let old = unsafe makeRoom(for: key.count)
        if unsafe orderOfHighest(to: key, in: table) == 0 { isHighestKnown[table.rawValue] = false }
        let (start, end) = unsafe begin(key, in: table, kind: 0, kindInFamily: 4)
        self.end(at: end, value: 0, valueLength: RocksDBChange.removed, start, key.count, in: table)
        unsafe old?.deallocate()
    }

    /// Adds the removal of the keys from `lower` up to `upper`, without `upper`, which must be above `lower`. Both may
    /// lie in the batch.
    func removeRange(from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer, in table: Table) {
        let old = unsafe makeRoom(for: lower.count + upper.count)
        if unsafe orderOfHighest(to: lower, in: table).map({ $0 >= 0 }) == true {
            isHighestKnown[table.rawValue] = false
        }
        let (start, keyEnd) = unsafe begin(lower, in: table, kind: 15, kindInFamily: 14)
        var end = keyEnd
        unsafe Varint.write(UInt64(upper.count), to: memory, &end)
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end...]).copyMemory(from: upper)
        let range = RocksDBRange(
            lower: UInt32(start),
            lowerLength: UInt32(lower.count),
            upper: UInt32(end),
            upperLength: UInt32(upper.count)
        )
        byteCount = end + upper.count
        changeCount += 1
        unsafe tables[table.rawValue].remove(range, in: self.start)
        unsafe old?.deallocate()
    }

    /// Writes a change up to its key.
    ///
    /// - Returns: Where the key begins, and where it ends.
    @inline(__always)
    private func begin(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        kind: UInt8,
        kindInFamily: UInt8
    ) -> (key: Int, end: Int) {
        let family = families[table.rawValue]
        var offset = byteCount
        unsafe memory[offset] = family == 0 ? kind : kindInFamily
        offset += 1
        if family != 0 { unsafe Varint.write(UInt64(family), to: memory, &offset) }
        unsafe Varint.write(UInt64(key.count), to: memory, &offset)
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyMemory(from: key)
        return (offset, offset + key.count)
    }

    @inline(__always)
    private func end(
        at end: Int,
        value: UInt32,
        valueLength: UInt32,
        _ key: Int,
        _ keyLength: Int,
        in table: Table
    ) {
        byteCount = end
        changeCount += 1
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: memory[key..<key + keyLength])
        let change = RocksDBChange(
            prefix: unsafe RocksDBKey(bytes).prefix,
            key: UInt32(key),
            keyLength: UInt32(keyLength),
            value: value,
            valueLength: valueLength
        )
        lastAdded = change
        unsafe tables[table.rawValue].put(change, in: start)
    }

    /// Returns the memory of before, if there is another now. The caller frees it.
    @inline(__always)
    private func makeRoom(for length: Int) -> UnsafeMutableRawBufferPointer? {
        let needed = byteCount + length + RocksDBBatch.mostAround
        return unsafe needed <= memory.count ? nil : grow(to: needed)
    }

    @inline(never)
    private func grow(to needed: Int) -> UnsafeMutableRawBufferPointer {
        let old = unsafe memory
        unsafe memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, 2 * old.count), alignment: 16)
        unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[..<byteCount]))
        return unsafe old
    }
}
#endif
