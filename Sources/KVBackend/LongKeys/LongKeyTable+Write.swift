internal import StorageEngineKit
internal import StorageProtocol

extension LongKeyTable {
    /// Stores a value of `length` bytes, which `fill` writes into the memory that it receives, like
    /// `OrderedTransaction.put`.
    ///
    /// - Returns: False if `mode` is `insert` and the key exists. Then nothing was changed, and `fill` was not called.
    /// - Throws: `tooLarge` (413) for a key over `LongKeyLayout.maximumLength`, before anything is written; `corrupt`
    ///   (591) if the key's chain is damaged.
    @discardableResult
    func put(
        _ key: UnsafeRawBufferPointer,
        length: Int,
        mode: PutMode = .upsert,
        numbers: some NodeNumbers,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        if unsafe layout.isPlain(key.bytes) {
            return try unsafe transaction.put(key, in: table, length: length, mode: mode, fill)
        }
        try LongKeyLayout.checkLength(key.count)
        return try unsafe LongKey.withStored(key) { (key) throws(StorageError) in
            try unsafe putStored(key, length, mode, numbers, fill)
        }
    }

    private func putStored(
        _ key: UnsafeRawBufferPointer,
        _ length: Int,
        _ mode: PutMode,
        _ numbers: some NodeNumbers,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        guard key.count > layout.cut else {
            return try unsafe transaction.put(key, in: table, length: length, mode: mode, fill)
        }
        var place = KeyBuffer()
        defer { place.removeAll() }
        unsafe place.setRoot(key, layout)
        var isNew = false
        var node: UInt64
        if let found = try unsafe child(place.bytes, in: table, under: 0) {
            node = found
        } else {
            node = try unsafe addNode(place.bytes, in: table, mode == .append ? .append : .new, under: 0, numbers)
            isNew = true
        }
        var rest = unsafe key[layout.cut...]
        while unsafe rest.count > layout.chunk {
            unsafe place.set(node, rest, layout)
            if !isNew, let found = try unsafe child(place.bytes, in: .chunks, under: node) {
                node = found
            } else {
                if !isNew { try unsafe checkNode(of: place.bytes) }
                let way: PutMode = isNew ? .append : .new
                node = try unsafe addNode(place.bytes, in: .chunks, way, under: node, numbers)
                isNew = true
            }
            unsafe rest = rest.dropFirst(layout.chunk)
        }
        unsafe place.set(node, rest, layout)
        if !isNew { try unsafe checkNode(of: place.bytes) }
        // The number of a new node is above all others, so its first entry is the last of `chunks`.
        let way: PutMode = isNew ? .append : mode == .append ? .insert : mode
        let isStored = try unsafe transaction.put(place.bytes, in: .chunks, length: length, mode: way, fill)
        if !isStored && mode == .append { throw StorageError(.storage, "A key to append is there already") }
        return isStored
    }

    /// Adds a continuation that leads to a new node.
    private func addNode(
        _ continuation: UnsafeRawBufferPointer,
        in home: Table,
        _ mode: PutMode,
        under parent: UInt64,
        _ numbers: some NodeNumbers
    ) throws(StorageError) -> UInt64 {
        let node = try numbers.nextNode()
        guard node > parent else { throw .corrupt("The counter of nodes is below a node that is there") }
        _ = try unsafe transaction.put(continuation, in: home, length: LongKeyLayout.nodeLength, mode: mode) { target in
            unsafe target.storeBytes(of: node.bigEndian, as: UInt64.self)
        }
        return node
    }

    /// Removes a key, and the nodes that this leaves empty. Returns false if it is missing and `mode` detects that.
    ///
    /// - Throws: `corrupt` (591) if the key's chain is damaged.
    func remove(_ key: UnsafeRawBufferPointer, mode: RemoveMode = .asked) throws(StorageError) -> Bool {
        if unsafe layout.isPlain(key.bytes) { return try unsafe transaction.remove(key, in: table, mode: mode) }
        return try unsafe LongKey.withStored(key) { (key) throws(StorageError) in
            var nodes: [UInt64] = []
            var place = KeyBuffer()
            defer { place.removeAll() }
            guard let home = try unsafe find(key, &place, visit: { nodes.append($0) }) else { return false }
            guard try unsafe transaction.remove(place.bytes, in: home, mode: mode) else {
                if home == .chunks { try unsafe checkNode(of: place.bytes) }
                return false
            }
            try unsafe removeEmpty(nodes, of: key, &place)
            return true
        }
    }

    /// Removes the entries whose keys are in `range`, like `OrderedTransaction.removeRange`. Where keys are cut, a
    /// cursor goes over them, because the last entry of a node takes the node with it.
    func removeRange(
        _ range: ByteRange,
        until end: ContinuousClock.Instant?
    ) throws(StorageError) -> RangeRemoval {
        if Transaction.longestKey == nil { return try transaction.removeRange(range.stored, in: table, until: end) }
        let cursor = try cursor(in: range)
        defer { cursor.close() }
        return try cursor.removeEntries(in: range, until: end)
    }

    /// Removes the continuations that lead to empty nodes, from the last of `nodes` upwards.
    private func removeEmpty(
        _ nodes: [UInt64],
        of key: UnsafeRawBufferPointer,
        _ place: inout KeyBuffer
    ) throws(StorageError) {
        for level in nodes.indices.reversed() {
            place.removeAll()
            place.append(bigEndian: nodes[level])
            if try unsafe hasEntries(place.bytes) { return }
            if level == 0 {
                unsafe place.setRoot(key, layout)
                _ = try unsafe transaction.remove(place.bytes, in: table, mode: .known)
            } else {
                let start = layout.cut + (level - 1) * layout.chunk
                unsafe place.set(nodes[level - 1], key[start...], layout)
                _ = try unsafe transaction.remove(place.bytes, in: .chunks, mode: .known)
            }
        }
    }
}

extension ByteRange {
    /// The range of the keys as they are stored.
    fileprivate var stored: ByteRange { ByteRange(lower: lower.stored, upper: upper.stored) }
}

extension ByteRange.Bound {
    fileprivate var stored: ByteRange.Bound {
        switch self {
        case .open: .open
        case .including(let key): .including(LongKeyLayout.stored(key))
        case .excluding(let key): .excluding(LongKeyLayout.stored(key))
        }
    }
}
