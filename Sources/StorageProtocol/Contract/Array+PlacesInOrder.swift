extension [DocumentID] {
    /// The indices of the array, sorted by the bytes of the IDs; equal ones stay in their order. Records that are
    /// neighbours in a store are then read one after another.
    ///
    /// - Complexity: O(n) if the IDs are already sorted, else O(n log n). Most IDs are compared by the eight bytes
    ///   behind the prefix that all of them share.
    package var placesInOrder: [Int] {
        var isInOrder = true
        for place in indices.dropFirst() where self[place] < self[place - 1] {
            isInOrder = false
            break
        }
        if isInOrder { return [Int](indices) }
        let common = commonPrefix
        var order: [(key: UInt64, place: Int)] = []
        order.reserveCapacity(count)
        for (place, id) in enumerated() { order.append((id.key(behind: common), place)) }
        order.sort { a, b in
            if a.key != b.key { return a.key < b.key }
            // A short ID is padded with zeros.
            if self[a.place] < self[b.place] { return true }
            return self[a.place] == self[b.place] && a.place < b.place
        }
        return order.map(\.place)
    }

    /// The length in bytes of the prefix that all IDs share.
    private var commonPrefix: Int {
        guard let first else { return 0 }
        return first.withBytes { first in
            var common = first.byteCount
            for id in dropFirst() {
                id.withBytes { id in
                    common = Swift.min(common, id.byteCount)
                    var length = 0
                    while length < common,
                        unsafe first.unsafeLoad(fromByteOffset: length, as: UInt8.self)
                            == id.unsafeLoad(fromByteOffset: length, as: UInt8.self)
                    { length += 1 }
                    common = length
                }
            }
            return common
        }
    }
}

extension DocumentID {
    /// The eight bytes from `start` on as a number that sorts as they do. A shorter ID is padded with zeros.
    fileprivate func key(behind start: Int) -> UInt64 {
        withBytes { bytes in
            if bytes.byteCount - start >= 8 {
                return unsafe UInt64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
            var key: UInt64 = 0
            for place in start..<Swift.max(start, bytes.byteCount) {
                key = key << 8 | UInt64(unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self))
            }
            return key << UInt64(8 * (8 - (bytes.byteCount - start)))
        }
    }
}
