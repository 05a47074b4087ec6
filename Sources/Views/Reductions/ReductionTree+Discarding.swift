internal import SetteeEngine
internal import StorageProtocol

extension ReductionTree {
    /// Removes the summaries of all blocks that contain a changed row, at every level, and of the blocks that end where
    /// a changed row begins one, since it may no longer do so. Called in the transaction of the change.
    ///
    /// - Parameter changes: must record positions.
    /// - Returns: whether everything stored was removed at once.
    /// - Complexity: O(changes · (log(changes) + levels · log(summaries))), less if they lie in the same blocks.
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

    /// Removes everything that is stored.
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
            // Changed rows before this edge need no further work: it is the end of the removed block, or of the gap.
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
                // The block or the gap extends to the end of the index.
                if settled == .end { return }
                continue
            }
            while next < places.count, compareBytes(places[next].bytes, edge.bytes) < 0 { next += 1 }
        }
    }

    /// Returns the stored blocks that contain a row, or end just before it, the last one first.
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
            // Blocks that cannot be read are removed, too.
            found.append((unsafe key.withUnsafeBytes { unsafe Array($0) }, end ?? .before(place)))
            // The block before it may end exactly here.
            defer { isFirst = false }
            return isFirst
        }
        return found
    }

    /// Returns where the first stored block after a row begins; `end` if there is none.
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
