internal import SetteeEngine
internal import StorageProtocol

extension ReductionTree {
    /// Removes the summaries of all blocks that the changed rows lie in, at every level, and of those that end where a
    /// changed row begins one, since it may do so no longer. To be called in the transaction of the change.
    ///
    /// - Parameter changes: with positions.
    /// - Returns: whether all that was stored went at once.
    /// - Complexity: O(changes · (log(changes) + levels · log(summaries))), less where they lie in the same blocks.
    func discardSummaries(for changes: RowChanges, in transaction: any IndexWriter) throws(StorageError) -> Bool {
        precondition(changes.recordsPositions, "which rows changed must be known")
        guard let stored = try transaction.indexEntry(index, key: ReductionTree.identityKey) else {
            return false
        }
        guard stored == identity else {
            try dropSummaries(in: transaction)
            return true
        }
        var places: [RowOrderKey] = []
        places.reserveCapacity(changes.positionCount)
        changes.forEach { key, id, emit in places.append(RowOrderKey(key: key, id: id, emit: emit)) }
        places.sort { compareBytes($0.bytes, $1.bytes) < 0 }
        for level in 1...RowOrderKey.topLevel { try discard(level, places, in: transaction) }
        return false
    }

    /// Removes all that is stored.
    func dropSummaries(in transaction: any IndexWriter) throws(StorageError) {
        try transaction.removeAllIndexEntries(index)
    }

    private func discard(
        _ level: Int,
        _ places: [RowOrderKey],
        in transaction: any IndexWriter
    ) throws(StorageError) {
        var next = 0
        while next < places.count {
            let place = places[next]
            // Up to where no other changed row can matter: the end of the block removed, or of the gap.
            var settled: BlockEdge?
            for (key, end) in try blocks(level, around: place, in: transaction) {
                try transaction.removeIndexEntries(
                    index,
                    in: ByteRange(lower: .including(key), upper: .including(key))
                )
                if settled == nil { settled = end }
            }
            if settled == nil { settled = try firstBlock(level, behind: place, in: transaction) }
            next += 1
            guard case .before(let edge) = settled else {
                // The block, or the gap, goes on to the end of the index.
                if settled == .end { return }
                continue
            }
            while next < places.count, compareBytes(places[next].bytes, edge.bytes) < 0 { next += 1 }
        }
    }

    /// The stored blocks that a row lies in, or that end before it, the last one first.
    private func blocks(
        _ level: Int,
        around place: RowOrderKey,
        in transaction: any IndexReader
    ) throws(StorageError) -> [(key: [UInt8], end: BlockEdge)] {
        var found: [(key: [UInt8], end: BlockEdge)] = []
        let keys = ReductionTree.keys(level: level, upTo: .before(place), included: true)
        var isFirst = true
        try transaction.orderedEntries(index, in: keys, descending: true) { (key, value) throws(StorageError) in
            let end = BlockSummary.edges(key: key, value: value)?.end
            if case .before(let edge) = end, compareBytes(edge.bytes, place.bytes) < 0 { return false }
            // What cannot be read is removed, too.
            found.append((unsafe key.withUnsafeBytes { unsafe Array($0) }, end ?? .before(place)))
            // The block before can end just here.
            defer { isFirst = false }
            return isFirst
        }
        return found
    }

    /// Where the first stored block behind a row begins: `end` where there is none.
    private func firstBlock(
        _ level: Int,
        behind place: RowOrderKey,
        in transaction: any IndexReader
    ) throws(StorageError) -> BlockEdge {
        var found = BlockEdge.end
        let keys = ReductionTree.keys(level: level, from: .before(place))
        try transaction.orderedEntries(index, in: keys, descending: false) { (key, value) throws(StorageError) in
            found = BlockSummary.edges(key: key, value: value)?.start ?? .before(place)
            return false
        }
        return found
    }
}
