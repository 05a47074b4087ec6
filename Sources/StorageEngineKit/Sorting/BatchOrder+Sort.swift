package import StorageProtocol

extension BatchOrder {
    /// Sorts the items, which must belong to `batches`.
    ///
    /// Reads each byte of a key or ID at most once, and only a few of them if they differ early: from the position
    /// where they begin to differ, eight bytes at a time are sorted as one number. Complexity: O(1) per item for short
    /// keys.
    package mutating func sort(_ batches: borrowing PinnedBatches) { sort(batches, 0..<count, .first, 0, depth: 0) }

    /// Which of an item's strings to compare.
    enum Stage {
        /// A row's key or a document's ID.
        case first
        /// A row's ID.
        case second
        /// No string, only the numbers, which are already in order within a document.
        case last
    }

    /// Up to this many items are sorted by whole strings.
    private static let few = 16
    /// The maximum depth of the sort by parts. Deeper parts are sorted by whole strings, so that the stack cannot
    /// overflow.
    private static let levels = 64

    /// Sorts a range whose strings before `stage` are the same, as are the first `start` bytes of the strings at
    /// `stage`.
    mutating func sort(
        _ batches: borrowing PinnedBatches,
        _ range: Range<Int>,
        _ stage: Stage,
        _ start: Int,
        depth: Int
    ) {
        if range.count < 2 { return }
        if range.count <= BatchOrder.few || depth > BatchOrder.levels || stage == .last {
            return sortWhole(batches, range)
        }
        let (shared, areSame) = shared(batches, range, stage, start)
        if areSame { return sort(batches, range, after(stage), 0, depth: depth + 1) }
        loadPrefixes(batches, range, stage, shared)
        sortByPrefixes(range)
        var begin = range.lowerBound
        while begin < range.upperBound {
            let prefix = unsafe entries[begin].prefix
            var end = begin + 1
            while end < range.upperBound, unsafe entries[end].prefix == prefix { end += 1 }
            if end - begin > 1 {
                if prefix & 0xFF < 8 {
                    sort(batches, begin..<end, after(stage), 0, depth: depth + 1)
                } else {
                    sort(batches, begin..<end, stage, shared + 7, depth: depth + 1)
                }
            }
            begin = end
        }
    }

    private func after(_ stage: Stage) -> Stage { stage == .first && kind == .rows ? .second : .last }

    @inline(__always)
    private func string(
        _ batches: borrowing PinnedBatches,
        _ item: BatchItem,
        _ stage: Stage
    ) -> UnsafeRawBufferPointer {
        let batch = unsafe batches.batches[Int(item.batch)]
        var number = Int(item.number)
        if kind == .rows {
            let row = unsafe batch.rows[number]
            if stage == .first { return unsafe batch.part(row.start, row.keyEnd) }
            number = Int(row.document)
        }
        let document = unsafe batch.documents[number]
        return unsafe batch.part(document.idStart, document.idEnd)
    }

    /// Returns how many bytes all strings of a range share, and whether they are the same.
    private func shared(
        _ batches: borrowing PinnedBatches,
        _ range: Range<Int>,
        _ stage: Stage,
        _ start: Int
    ) -> (count: Int, areSame: Bool) {
        let first = unsafe string(batches, entries[range.lowerBound].item, stage)
        var shared = first.count
        var areSame = true
        for place in range.dropFirst() {
            let other = unsafe string(batches, entries[place].item, stage)
            if other.count != first.count { areSame = false }
            let limit = min(shared, other.count)
            var offset = start
            while offset < limit, unsafe first[offset] == other[offset] { offset += 1 }
            shared = offset
        }
        return (shared, areSame && shared == first.count)
    }

    private func loadPrefixes(
        _ batches: borrowing PinnedBatches,
        _ range: Range<Int>,
        _ stage: Stage,
        _ start: Int
    ) {
        for place in range {
            let string = unsafe string(batches, entries[place].item, stage)
            let rest = string.count - start
            var prefix: UInt64 = 0
            if rest >= 8 {
                let bytes = unsafe string.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                prefix = UInt64(bigEndian: bytes) & ~0xFF | 8
            } else {
                for offset in 0..<rest { prefix |= unsafe UInt64(string[start + offset]) << (56 - 8 * offset) }
                prefix |= UInt64(rest)
            }
            unsafe entries[place].prefix = prefix
        }
    }

    private func sortByPrefixes(_ range: Range<Int>) {
        var isSorted = true
        for place in range.dropFirst() where unsafe entries[place - 1].prefix > entries[place].prefix {
            isSorted = false
            break
        }
        if isSorted { return }
        if range.count < 512 {
            var part = unsafe UnsafeMutableBufferPointer(rebasing: entries[range])
            return unsafe part.sort { a, b in a.prefix < b.prefix }
        }
        radixSort(range)
    }

    /// Sorts by one byte after another, the last one first.
    private func radixSort(_ range: Range<Int>) {
        let count = range.count
        // Not `withUnsafeTemporaryAllocation`: with it, Swift 6.3.1 generated optimised code that wrote beyond the
        // allocation.
        let all = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: 8 * 256)
        defer { unsafe all.deallocate() }
        unsafe all.initialize(repeating: 0)
        var source = unsafe entries.baseAddress! + range.lowerBound
        var target = unsafe spare.baseAddress! + range.lowerBound
        for place in 0..<count {
            let prefix = unsafe source[place].prefix
            for byte in 0..<8 { unsafe all[byte << 8 | Int(prefix >> (8 * byte) & 0xFF)] += 1 }
        }
        for byte in 0..<8 {
            let places = unsafe UnsafeMutableBufferPointer(rebasing: all[byte << 8..<(byte + 1) << 8])
            // All bytes are the same, so nothing has to move.
            let first = unsafe Int(source[0].prefix >> (8 * byte) & 0xFF)
            if unsafe Int(places[first]) == count { continue }
            var sum: UInt32 = 0
            for digit in 0..<256 {
                let here = unsafe places[digit]
                unsafe places[digit] = sum
                sum += here
            }
            for place in 0..<count {
                let entry = unsafe source[place]
                let digit = Int(entry.prefix >> (8 * byte) & 0xFF)
                unsafe target[Int(places[digit])] = entry
                unsafe places[digit] += 1
            }
            unsafe swap(&source, &target)
        }
        if unsafe source != entries.baseAddress! + range.lowerBound {
            unsafe target.update(from: source, count: count)
        }
    }

    private func sortWhole(_ batches: borrowing PinnedBatches, _ range: Range<Int>) {
        var isSorted = true
        for place in range.dropFirst() where unsafe isBefore(batches, entries[place].item, entries[place - 1].item) {
            isSorted = false
            break
        }
        if isSorted { return }
        if range.count <= BatchOrder.few {
            for end in range.dropFirst() {
                let entry = unsafe entries[end]
                var place = end
                while place > range.lowerBound, unsafe isBefore(batches, entry.item, entries[place - 1].item) {
                    unsafe entries[place] = entries[place - 1]
                    place -= 1
                }
                unsafe entries[place] = entry
            }
            return
        }
        mergeSort(batches, range)
    }

    /// Sorts what the sort by parts leaves over. This is rare, so it need not be fast.
    private func mergeSort(_ batches: borrowing PinnedBatches, _ range: Range<Int>) {
        var width = 1
        while width < range.count {
            var low = range.lowerBound
            while low < range.upperBound {
                let middle = min(low + width, range.upperBound)
                let high = min(middle + width, range.upperBound)
                var (left, right) = (low, middle)
                for place in low..<high {
                    var takesRight = left == middle
                    if !takesRight && right < high {
                        takesRight = unsafe isBefore(batches, entries[right].item, entries[left].item)
                    }
                    unsafe spare[place] = entries[takesRight ? right : left]
                    if takesRight { right += 1 } else { left += 1 }
                }
                low = high
            }
            unsafe (entries.baseAddress! + range.lowerBound).update(
                from: spare.baseAddress! + range.lowerBound,
                count: range.count
            )
            width *= 2
        }
    }

    private func isBefore(_ batches: borrowing PinnedBatches, _ a: BatchItem, _ b: BatchItem) -> Bool {
        var order = unsafe compareBytes(string(batches, a, .first).bytes, string(batches, b, .first).bytes)
        if order == 0, kind == .rows {
            order = unsafe compareBytes(string(batches, a, .second).bytes, string(batches, b, .second).bytes)
        }
        if order != 0 { return order < 0 }
        return (a.batch, a.number) < (b.batch, b.number)
    }
}
