internal import StorageEngineKit
internal import StorageProtocol

extension LongKeyCursor {
    /// Moves on from the cursor's position, whatever that is.
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

    /// While the cursor is on a continuation, moves down to the first (backwards: the last) key below it.
    func settle(_ direction: CursorDirection) throws(StorageError) -> Bool {
        stand = .nowhere
        while true {
            let cursor = try nodes.isEmpty ? root : chunks()
            guard unsafe cursor.key.count > layout.cut else { break }
            try unsafe enter(cursor.key, cursor.value)
            guard try enterNode(direction) else { throw LongKeyLayout.missingNode }
        }
        stand = .entry
        return true
    }

    /// Adds a continuation's chunk to the path, and its node to the nodes on the way.
    private func enter(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StorageError) {
        _ = try unsafe layout.isContinuation(key.bytes)
        try unsafe enter(LongKey.node(value, under: nodes.last ?? 0), after: key[..<layout.cut])
    }

    /// Adds a node to those on the way. `key` is the continuation's store key without its marker.
    func enter(_ node: UInt64, after key: Slice<UnsafeRawBufferPointer>) throws(StorageError) {
        let chunk = unsafe key.dropFirst(nodes.isEmpty ? 0 : LongKeyLayout.nodeLength)
        unsafe path.append(UnsafeRawBufferPointer(rebasing: chunk))
        guard path.count < LongKeyLayout.maximumLength + 1 else { throw .corrupt("A long key has no end") }
        nodes.append(node)
    }

    /// Moves to the first (backwards: the last) entry of the last node. Returns false if it has none.
    func enterNode(_ direction: CursorDirection) throws(StorageError) -> Bool {
        guard let node = nodes.last else { return false }
        let chunks = try chunks()
        place.removeAll()
        switch direction {
        case .forward:
            place.append(bigEndian: node)
            guard try unsafe chunks.seek(.atOrAfter(place.bytes)) else { return false }
        case .backward:
            // There is no number after the maximum: the node's entries are then at the end of the table.
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
        // The table's own cursor is still on the continuation.
        return try root.step(direction) ? settle(direction) : false
    }

    /// Removes the last node from those on the way. If another one is left, sets `place` to the store key of the
    /// continuation in it, with this marker. Returns false if only the table itself is left.
    func setPlaceAbove(marker: UInt8) -> Bool {
        if nodes.popLast() == nil { return false }
        guard let parent = nodes.last else {
            path.removeAll()
            return false
        }
        place.removeAll()
        place.append(bigEndian: parent)
        unsafe place.append(UnsafeRawBufferPointer(rebasing: path.bytes.suffix(layout.chunk)))
        place.append(marker)
        path.removeLast(layout.chunk)
        return true
    }
}
