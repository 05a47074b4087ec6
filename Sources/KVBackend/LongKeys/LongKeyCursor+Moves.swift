internal import StorageProtocol

extension LongKeyCursor {
    /// Goes on from wherever the cursor stands.
    func step(_ direction: CursorDirection) throws(StorageError) -> Bool {
        let before = stand
        stand = .nowhere
        switch (before, direction) {
        case (.nowhere, _): return false
        case (.following, .forward), (.preceding, .backward): return try settle(direction)
        case (.preceding, .forward): return try leaveNode(direction)
        case (.entry, _), (.following, .backward): break
        }
        guard let node = nodes.last else {
            return try root.step(direction) ? settle(direction) : false
        }
        let chunks = try chunks()
        let isInside = try unsafe chunks.step(direction) && LongKey.belongs(chunks.key, to: node)
        return try isInside ? settle(direction) : leaveNode(direction)
    }

    /// Goes down from the entry that the cursor is on, while that is a continuation, to the first (backwards: the last)
    /// key below it.
    func settle(_ direction: CursorDirection) throws(StorageError) -> Bool {
        stand = .nowhere
        while true {
            let cursor = try nodes.isEmpty ? root : chunks()
            guard unsafe cursor.key.count > LongKey.cut else { break }
            try unsafe enter(cursor.key, cursor.value)
            guard try enterNode(direction) else { throw LongKeyLayout.missingNode }
        }
        stand = .entry
        return true
    }

    /// Takes a continuation's chunk into the path and its node to the way down.
    private func enter(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StorageError) {
        _ = try unsafe LongKey.layout.isContinuation(key.bytes)
        try unsafe enter(LongKey.node(value, under: nodes.last ?? 0), after: key[..<LongKey.cut])
    }

    /// Adds a node to the way down. `key` is the continuation's store key without its marker.
    func enter(_ node: UInt64, after key: Slice<UnsafeRawBufferPointer>) throws(StorageError) {
        let chunk = unsafe key.dropFirst(nodes.isEmpty ? 0 : LongKeyLayout.nodeLength)
        unsafe path.append(UnsafeRawBufferPointer(rebasing: chunk))
        guard path.count < LongKeyLayout.maximumLength + 1 else { throw .corrupt("A long key has no end") }
        nodes.append(node)
    }

    /// Goes to the first (backwards: the last) entry of the last node. False where it has none.
    func enterNode(_ direction: CursorDirection) throws(StorageError) -> Bool {
        guard let node = nodes.last else { return false }
        let chunks = try chunks()
        place.removeAll()
        switch direction {
        case .forward:
            place.append(bigEndian: node)
            guard try unsafe chunks.seek(.atOrAfter(place.bytes)) else { return false }
        case .backward:
            // The number after the last one is not a number: then the node's entries end the table.
            let (end, isLast) = node.addingReportingOverflow(1)
            place.append(bigEndian: end)
            guard try unsafe chunks.seek(isLast ? .last : .before(place.bytes)) else { return false }
        }
        return unsafe LongKey.belongs(chunks.key, to: node)
    }

    /// Leaves the last node, and those above that end with it, for the neighbour of the continuation that led there.
    func leaveNode(_ direction: CursorDirection) throws(StorageError) -> Bool {
        stand = .nowhere
        while setPlaceAbove(marker: direction == .forward ? LongKeyLayout.marker + 1 : LongKeyLayout.marker) {
            guard let node = nodes.last else { break }
            let chunks = try chunks()
            let isFound =
                switch direction {
                case .forward: try unsafe chunks.seek(.atOrAfter(place.bytes))
                case .backward: try unsafe chunks.seek(.before(place.bytes))
                }
            if unsafe isFound && LongKey.belongs(chunks.key, to: node) { return try settle(direction) }
        }
        // The table's own cursor still stands on the continuation.
        return try root.step(direction) ? settle(direction) : false
    }

    /// Takes the last node off the way down. Where that leaves another one, `place` becomes the store key of the
    /// continuation in it, with this marker; false where it leaves the table itself.
    func setPlaceAbove(marker: UInt8) -> Bool {
        if nodes.popLast() == nil { return false }
        guard let parent = nodes.last else {
            path.removeAll()
            return false
        }
        place.removeAll()
        place.append(bigEndian: parent)
        unsafe place.append(UnsafeRawBufferPointer(rebasing: path.bytes.suffix(LongKey.chunk)))
        place.append(marker)
        path.removeLast(LongKey.chunk)
        return true
    }
}
