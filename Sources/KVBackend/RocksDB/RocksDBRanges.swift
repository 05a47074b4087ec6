#if RocksDB
internal import StorageProtocol

/// A range of keys that was removed: where the batch has its bounds, of which the upper one is not in it.
struct RocksDBRange {
    var lower: UInt32
    var lowerLength: UInt32
    var upper: UInt32
    var upperLength: UInt32

    @inline(__always)
    func lower(in memory: UnsafeMutableRawPointer) -> RocksDBKey {
        unsafe RocksDBRange.key(lower, lowerLength, in: memory)
    }

    @inline(__always)
    func upper(in memory: UnsafeMutableRawPointer) -> RocksDBKey {
        unsafe RocksDBRange.key(upper, upperLength, in: memory)
    }

    private static func key(_ start: UInt32, _ length: UInt32, in memory: UnsafeMutableRawPointer) -> RocksDBKey {
        unsafe RocksDBKey(UnsafeRawBufferPointer(start: memory.advanced(by: Int(start)), count: Int(length)))
    }
}

/// The ranges of a table that a transaction has removed, in the order of their keys. They neither overlap nor touch.
struct RocksDBRanges {
    private var ranges: [RocksDBRange] = []

    @inline(__always)
    var isEmpty: Bool { ranges.isEmpty }

    mutating func removeAll() { ranges.removeAll() }

    /// Returns the range that a key is in.
    @inline(__always)
    func range(of key: UnsafeRawBufferPointer, in memory: UnsafeMutableRawPointer) -> RocksDBRange? {
        if ranges.isEmpty { return nil }
        let place = first { unsafe compareBytes($0.lower(in: memory).bytes.bytes, key.bytes) > 0 }
        guard place > 0 else { return nil }
        let range = ranges[place - 1]
        return unsafe compareBytes(key.bytes, range.upper(in: memory).bytes.bytes) < 0 ? range : nil
    }

    /// Adds a range, as one with those that it meets.
    mutating func insert(_ range: RocksDBRange, in memory: UnsafeMutableRawPointer) {
        let (lower, upper) = unsafe (range.lower(in: memory).bytes, range.upper(in: memory).bytes)
        let place = first { unsafe compareBytes($0.upper(in: memory).bytes.bytes, lower.bytes) >= 0 }
        let end = first { unsafe compareBytes($0.lower(in: memory).bytes.bytes, upper.bytes) > 0 }
        var whole = range
        if place < end {
            let (low, high) = (ranges[place], ranges[end - 1])
            if unsafe compareBytes(low.lower(in: memory).bytes.bytes, lower.bytes) < 0 {
                (whole.lower, whole.lowerLength) = (low.lower, low.lowerLength)
            }
            if unsafe compareBytes(high.upper(in: memory).bytes.bytes, upper.bytes) > 0 {
                (whole.upper, whole.upperLength) = (high.upper, high.upperLength)
            }
        }
        ranges.replaceSubrange(place..<end, with: [whole])
    }

    /// Returns the place of the first range for which `isBehind` holds, which it does for all that follow.
    @inline(__always)
    private func first(_ isBehind: (RocksDBRange) -> Bool) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(ranges[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
#endif
