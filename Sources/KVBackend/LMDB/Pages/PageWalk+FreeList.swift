extension PageWalk {
    /// A record of the free list while it is read: how many numbers follow, then page numbers from the highest down.
    /// LMDB may reserve more room than it needs; what follows the last number has no meaning.
    struct FreeRecord {
        let length: Int
        /// How many numbers are still to come; nil before the first word.
        var missing: UInt64?
        var previous = UInt64.max
        var isDamaged = false

        var isDone: Bool { isDamaged || missing == 0 }

        init(length: Int) { self.length = length }
    }

    /// Reads a part of a record. Its length is a multiple of 8, except for the record's last part.
    mutating func check(_ bytes: ArraySlice<UInt8>, in list: inout FreeRecord) {
        let words = Array(bytes)
        for place in stride(from: 0, to: words.count - 7, by: 8) where !list.isDone {
            let word = words.u64(place)
            guard let missing = list.missing else {
                list.missing = word
                list.isDamaged = list.length & 7 != 0 || word > UInt64(list.length / 8 - 1)
                continue
            }
            list.missing = missing - 1
            guard word < list.previous, word >= 2, word <= meta.lastPage else {
                list.isDamaged = true
                return
            }
            list.previous = word
            guard seen.insert(word) else {
                report("page \(word) is free twice, or free and in use")
                continue
            }
            freePages += 1
            if word >= filePages { freePagesBeyondFile += 1 }
        }
    }

    /// Called after a record's last part.
    mutating func finish(_ list: FreeRecord, key: ArraySlice<UInt8>) {
        let transaction = key.count == 8 ? Array(key).u64(0) : 0
        guard transaction >= 1, transaction <= meta.transaction else {
            return report("the free list has a record for transaction \(transaction), which has not been")
        }
        guard !list.isDamaged, list.missing == 0 else {
            return report("the free list's record of transaction \(transaction) is damaged")
        }
    }
}
