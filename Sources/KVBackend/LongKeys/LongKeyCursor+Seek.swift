internal import StorageEngineKit
internal import StorageProtocol

extension LongKeyCursor {
    func seek(_ place: CursorPlace) throws(StorageError) -> Bool {
        stand = .nowhere
        nodes.removeAll(keepingCapacity: true)
        path.removeAll()
        switch place {
        case .first: return try root.seek(.first) ? settle(.forward) : false
        case .last: return try root.seek(.last) ? settle(.backward) : false
        case .atOrAfter(let bound): return try unsafe seek(bound, .forward)
        case .before(let bound): return try unsafe seek(bound, .backward)
        }
    }

    /// Forward: moves to the first key at or after `bound`. Backward: to the last one before it.
    private func seek(_ bound: UnsafeRawBufferPointer, _ direction: CursorDirection) throws(StorageError) -> Bool {
        if unsafe layout.isPlain(bound.bytes) { return try unsafe seekShort(bound, direction) }
        return try unsafe LongKey.withStored(bound) { (bound) throws(StorageError) in
            if bound.count <= layout.cut { return try unsafe seekShort(bound, direction) }
            return try unsafe seekLong(bound, direction)
        }
    }

    /// A bound of at most `layout.cut` bytes is on the same side of a continuation as of all keys below it.
    private func seekShort(_ bound: UnsafeRawBufferPointer, _ direction: CursorDirection) throws(StorageError) -> Bool {
        let isFound =
            switch direction {
            case .forward: try unsafe root.seek(.atOrAfter(bound))
            case .backward: try unsafe root.seek(.before(bound))
            }
        return isFound ? try settle(direction) : false
    }

    private func seekLong(_ bound: UnsafeRawBufferPointer, _ direction: CursorDirection) throws(StorageError) -> Bool {
        unsafe place.setRoot(bound, layout)
        let isAfter = try unsafe root.seek(.atOrAfter(place.bytes))
        guard unsafe isAfter && root.key.equals(place.bytes) else {
            switch direction {
            case .forward: return isAfter ? try settle(.forward) : false
            case .backward: return try unsafe root.seek(.before(place.bytes)) ? settle(.backward) : false
            }
        }
        try unsafe enter(LongKey.node(root.value, under: 0), after: bound[..<layout.cut])
        return try unsafe seekBelow(bound[layout.cut...], direction)
    }

    /// Continues in the last node on the way. `rest` is the part of the bound from there on.
    private func seekBelow(
        _ rest: Slice<UnsafeRawBufferPointer>,
        _ direction: CursorDirection
    ) throws(StorageError) -> Bool {
        let chunks = try chunks()
        var rest = unsafe rest
        while let node = nodes.last {
            unsafe place.set(node, rest, layout)
            let isEnd = unsafe rest.count <= layout.chunk
            // The continuation that the bound goes through, if it exists; at the end of a bound, the position.
            var isFound = false
            if !isEnd || direction == .forward {
                isFound = try unsafe chunks.seek(.atOrAfter(place.bytes))
            }
            if unsafe !isEnd && isFound && chunks.key.equals(place.bytes) {
                let continuation = unsafe place.bytes[..<layout.cut]
                try unsafe enter(LongKey.node(chunks.value, under: node), after: continuation)
                unsafe rest = rest.dropFirst(layout.chunk)
                continue
            }
            if direction == .backward { isFound = try unsafe chunks.seek(.before(place.bytes)) }
            if unsafe isFound && LongKey.belongs(chunks.key, to: node) { return try settle(direction) }
            // There is nothing on this side of the bound. There must be something on the other side, or the node would
            // not exist.
            guard try enterNode(direction) else { throw LongKeyLayout.missingNode }
            return try leaveNode(direction)
        }
        return false
    }
}
