#if RocksDB
internal import StorageProtocol

/// A change of a key: where the batch has it.
struct RocksDBChange {
    /// The first bytes of the key.
    let prefix: UInt64
    let key: UInt32
    let keyLength: UInt32
    let value: UInt32
    /// `removed` for a removal.
    var valueLength: UInt32

    static let removed = UInt32.max
    /// The removal of a key that is in no change of its own, but in a range.
    static let removal = RocksDBChange(prefix: 0, key: 0, keyLength: 0, value: 0, valueLength: removed)
    var isRemoval: Bool { valueLength == RocksDBChange.removed }

    @inline(__always)
    func key(in memory: UnsafeMutableRawPointer) -> RocksDBKey {
        unsafe RocksDBKey(
            bytes: UnsafeRawBufferPointer(start: memory.advanced(by: Int(key)), count: Int(keyLength)),
            prefix: prefix
        )
    }

    @inline(__always)
    func isBelow(_ other: RocksDBKey, in memory: UnsafeMutableRawPointer) -> Bool {
        if prefix != other.prefix { return prefix < other.prefix }
        return unsafe compareBytes(key(in: memory).bytes.bytes, other.bytes.bytes) < 0
    }
}

/// A key with its first 8 bytes as a number, with zeros behind a shorter one: keys of which this differs are in the
/// order of the numbers.
@safe
struct RocksDBKey {
    let bytes: UnsafeRawBufferPointer
    let prefix: UInt64

    @inline(__always)
    init(bytes: UnsafeRawBufferPointer, prefix: UInt64) {
        unsafe self.bytes = unsafe bytes
        self.prefix = prefix
    }

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
        if bytes.count >= 8 {
            prefix = unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        } else {
            var prefix: UInt64 = 0
            for place in 0..<bytes.count { prefix |= UInt64(unsafe bytes[place]) << UInt64(56 - 8 * place) }
            self.prefix = prefix
        }
    }
}

/// The last changes of the keys of a table in the order of the keys.
///
/// They are in leaves of at most `capacity` changes, which are in an array. A change is found in O(log n); a new one
/// moves at most a leaf, and the array if the leaf is full. A key above all others is added at the end, in O(1).
@safe
final class RocksDBChanges {
    private var leaves: [Leaf] = []
    /// What was removed as a whole.
    private(set) var ranges = RocksDBRanges()
    /// Another one after every change of the places.
    private(set) var version = 0

    private static let capacity = 128

    @safe
    private struct Leaf {
        var changes: UnsafeMutablePointer<RocksDBChange>
        var count: Int
    }

    /// Where a change is, or the end.
    struct Place {
        fileprivate var leaf: Int
        fileprivate var number: Int
    }

    /// A leaf to use again.
    private var spare: UnsafeMutablePointer<RocksDBChange>?

    deinit {
        removeAll()
        unsafe spare?.deallocate()
    }

    func removeAll() {
        for leaf in leaves {
            if unsafe spare == nil { unsafe spare = leaf.changes } else { unsafe leaf.changes.deallocate() }
        }
        leaves.removeAll(keepingCapacity: true)
        ranges.removeAll()
        version += 1
    }

    private func makeLeaf() -> UnsafeMutablePointer<RocksDBChange> {
        unsafe spare.take() ?? .allocate(capacity: RocksDBChanges.capacity)
    }

    @inline(__always)
    var isEmpty: Bool { leaves.isEmpty && ranges.isEmpty }

    @inline(__always)
    var last: RocksDBChange? { leaves.last.map { unsafe $0.changes[$0.count - 1] } }

    // MARK: Places

    var firstPlace: Place { Place(leaf: 0, number: 0) }
    var endPlace: Place { Place(leaf: leaves.count, number: 0) }

    /// Returns the change at a place; nil at the end.
    @inline(__always)
    subscript(place: Place) -> RocksDBChange? {
        place.leaf < leaves.count ? unsafe leaves[place.leaf].changes[place.number] : nil
    }

    @inline(__always)
    func place(after place: Place) -> Place {
        guard place.number + 1 < leaves[place.leaf].count else { return Place(leaf: place.leaf + 1, number: 0) }
        return Place(leaf: place.leaf, number: place.number + 1)
    }

    /// Returns nil for the first place.
    @inline(__always)
    func place(before place: Place) -> Place? {
        if place.number > 0 { return Place(leaf: place.leaf, number: place.number - 1) }
        guard place.leaf > 0 else { return nil }
        return Place(leaf: place.leaf - 1, number: leaves[place.leaf - 1].count - 1)
    }

    /// Returns the place of the first change whose key is `key` or above.
    func place(atOrAfter key: RocksDBKey, in memory: UnsafeMutableRawPointer) -> Place {
        // The last leaf that begins below the key, or the first.
        var (low, high) = (0, leaves.count)
        while low < high {
            let middle = (low + high) / 2
            if unsafe leaves[middle].changes[0].isBelow(key, in: memory) { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return firstPlace }
        let leaf = leaves[low - 1]
        var (first, end) = (1, leaf.count)
        while first < end {
            let middle = (first + end) / 2
            if unsafe leaf.changes[middle].isBelow(key, in: memory) { first = middle + 1 } else { end = middle }
        }
        return first < leaf.count ? Place(leaf: low - 1, number: first) : Place(leaf: low, number: 0)
    }

    // MARK: Changing

    /// Adds a change, in place of an earlier one of the same key.
    func put(_ change: RocksDBChange, in memory: UnsafeMutableRawPointer) {
        version += 1
        let key = unsafe change.key(in: memory)
        guard let last, unsafe !last.isBelow(key, in: memory) else { return append(change) }
        let place = unsafe place(atOrAfter: key, in: memory)
        if let old = self[place], unsafe old.key(in: memory).bytes.equals(key.bytes) {
            unsafe leaves[place.leaf].changes[place.number] = change
        } else {
            insert(change, at: place)
        }
    }

    /// Adds the removal of a range, in place of the earlier changes in it.
    func remove(_ range: RocksDBRange, in memory: UnsafeMutableRawPointer) {
        var place = unsafe place(atOrAfter: range.lower(in: memory), in: memory)
        while let change = self[place], unsafe change.isBelow(range.upper(in: memory), in: memory) {
            unsafe leaves[place.leaf].changes[place.number].valueLength = RocksDBChange.removed
            place = self.place(after: place)
        }
        unsafe ranges.insert(range, in: memory)
    }

    @inline(__always)
    private func append(_ change: RocksDBChange) {
        if leaves.isEmpty || leaves[leaves.count - 1].count == RocksDBChanges.capacity {
            unsafe leaves.append(Leaf(changes: makeLeaf(), count: 0))
        }
        let leaf = leaves.count - 1
        unsafe leaves[leaf].changes.advanced(by: leaves[leaf].count).initialize(to: change)
        leaves[leaf].count += 1
    }

    private func insert(_ change: RocksDBChange, at place: Place) {
        var place = place
        // Not below the first change of the next leaf, which the search would not find.
        if place.number == 0, place.leaf > 0 {
            place = Place(leaf: place.leaf - 1, number: leaves[place.leaf - 1].count)
        }
        if leaves[place.leaf].count == RocksDBChanges.capacity { split(&place) }
        let count = leaves[place.leaf].count
        let here = unsafe leaves[place.leaf].changes.advanced(by: place.number)
        unsafe here.advanced(by: 1).update(from: here, count: count - place.number)
        unsafe here.initialize(to: change)
        leaves[place.leaf].count += 1
    }

    /// Moves the second half of a full leaf to one behind it. The place stays that of the same change.
    private func split(_ place: inout Place) {
        let half = RocksDBChanges.capacity / 2
        let full = unsafe leaves[place.leaf].changes
        let changes = unsafe makeLeaf()
        unsafe changes.initialize(from: full.advanced(by: half), count: RocksDBChanges.capacity - half)
        leaves[place.leaf].count = half
        unsafe leaves.insert(Leaf(changes: changes, count: RocksDBChanges.capacity - half), at: place.leaf + 1)
        if place.number > half { place = Place(leaf: place.leaf + 1, number: place.number - half) }
    }
}
#endif
