internal import StorageEngineKit
internal import StorageProtocol

/// A table whose keys may have any length up to `LongKeyLayout.maximumLength`, accessed through one transaction. Keys
/// of up to `layout.cut` bytes go directly to the store; a longer one costs a look-up for each `layout.chunk` bytes. In
/// a store without a limit that is every key.
struct LongKeyTable<Transaction: OrderedTransaction> {
    let transaction: Transaction
    let table: Table

    @inline(__always)
    var layout: LongKeyLayout { Transaction.keyLayout }

    init(_ table: Table, in transaction: Transaction) {
        self.transaction = transaction
        self.table = table
    }

    /// Passes the value of `key` to `use`, or returns nil if there is none. The bytes are valid as long as those of
    /// `OrderedTransaction.withValue`.
    ///
    /// - Throws: `corrupt` (591) if the key's chain is damaged.
    func withValue<R>(
        of key: UnsafeRawBufferPointer,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if unsafe layout.isPlain(key.bytes) { return try unsafe transaction.withValue(of: key, in: table, use) }
        return try unsafe LongKey.withStored(key) { (key) throws(StorageError) in
            var place = KeyBuffer()
            defer { place.removeAll() }
            guard let home = try unsafe find(key, &place) else { return try use(nil) }
            return try unsafe transaction.withValue(of: place.bytes, in: home) { (value) throws(StorageError) in
                if unsafe value == nil && home == .chunks { try unsafe checkNode(of: place.bytes) }
                return try unsafe use(value)
            }
        }
    }

    /// Passes the values of several keys to `use`, like `OrderedTransaction.values`.
    @inline(__always)
    func values(
        of keys: some KeyList,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) {
        for number in 0..<keys.count where try unsafe !keys.withKey(number, { unsafe layout.isPlain($0.bytes) }) {
            return try unsafe valuesOneByOne(of: keys, use)
        }
        try unsafe transaction.values(of: keys, in: table, use)
    }

    private func valuesOneByOne(
        of keys: some KeyList,
        _ use: (_ number: Int, _ key: UnsafeRawBufferPointer, UnsafeRawBufferPointer?) throws(StorageError) -> Bool
    ) throws(StorageError) {
        for number in 0..<keys.count {
            let goesOn = try unsafe keys.withKey(number) { (key) throws(StorageError) in
                try unsafe withValue(of: key) { (value) throws(StorageError) in try unsafe use(number, key, value) }
            }
            if !goesOn { return }
        }
    }

    /// Returns a cursor without a position.
    ///
    /// - Parameters:
    ///   - range: The keys that are wanted. The cursor may have others, too.
    ///   - fillsCaches: See `CursorUse`.
    func cursor(
        in range: ByteRange = .all,
        fillsCaches: Bool = true
    ) throws(StorageError) -> LongKeyCursor<Transaction> {
        let root = try unsafe range.lower.withBytes { (lower, _) throws(StorageError) in
            try unsafe range.upper.withBytes { (upper, _) throws(StorageError) in
                // What begins a key is not above it. A cut upper bound would need memory, and is left out.
                let use = unsafe CursorUse(
                    lower: lower.map { unsafe UnsafeRawBufferPointer(rebasing: $0.prefix(layout.cut)) },
                    upper: upper.flatMap { unsafe layout.isPlain($0.bytes) ? $0 : nil },
                    fillsCaches: fillsCaches
                )
                return try transaction.cursor(table, for: use)
            }
        }
        return LongKeyCursor(transaction, root: root, fillsCaches: fillsCaches)
    }

    /// Follows a stored key to its last chunk. Sets `place` to the store key that has its value, if it exists, and
    /// returns the table of that key. Returns nil if the chain ends before. Passes the nodes to `visit`.
    func find(
        _ key: UnsafeRawBufferPointer,
        _ place: inout KeyBuffer,
        visit: (UInt64) -> Void = { _ in }
    ) throws(StorageError) -> Table? {
        guard key.count > layout.cut else {
            place.removeAll()
            unsafe place.append(key)
            return table
        }
        unsafe place.setRoot(key, layout)
        guard var node = try unsafe child(place.bytes, in: table, under: 0) else { return nil }
        visit(node)
        var rest = unsafe key[layout.cut...]
        while unsafe rest.count > layout.chunk {
            unsafe place.set(node, rest, layout)
            guard let next = try unsafe child(place.bytes, in: .chunks, under: node) else {
                try unsafe checkNode(of: place.bytes)
                return nil
            }
            node = next
            visit(node)
            unsafe rest = rest.dropFirst(layout.chunk)
        }
        unsafe place.set(node, rest, layout)
        return .chunks
    }

    /// Returns the node that a continuation leads to, or nil if there is no such continuation.
    func child(
        _ continuation: UnsafeRawBufferPointer,
        in home: Table,
        under parent: UInt64
    ) throws(StorageError) -> UInt64? {
        try unsafe transaction.withValue(of: continuation, in: home) { (value) throws(StorageError) -> UInt64? in
            guard let value = unsafe value else { return nil }
            return try unsafe LongKey.node(value, under: parent)
        }
    }

    /// Checks that the node to which a key of `chunks` belongs has an entry.
    ///
    /// - Throws: `corrupt` (591) if it is empty: no key can have led there.
    func checkNode(of place: UnsafeRawBufferPointer) throws(StorageError) {
        let node = unsafe UnsafeRawBufferPointer(rebasing: place.prefix(LongKeyLayout.nodeLength))
        guard try unsafe hasEntries(node) else { throw LongKeyLayout.missingNode }
    }

    /// Whether a node (its number as in keys) has entries.
    func hasEntries(_ node: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
        let cursor = try transaction.cursor(.chunks)
        defer { cursor.close() }
        guard try unsafe cursor.seek(.atOrAfter(node)) else { return false }
        return unsafe cursor.key.starts(with: node)
    }
}
