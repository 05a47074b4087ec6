internal import StorageProtocol

/// A table whose keys may have any length up to `LongKeyLayout.maximumLength`, seen through one transaction. Keys of up
/// to `LongKey.cut` bytes go straight to the store; a longer one costs a look-up for each `LongKey.chunk` bytes.
struct LongKeyTable<Transaction: OrderedTransaction> {
    let transaction: Transaction
    let table: Table

    init(_ table: Table, in transaction: Transaction) {
        self.transaction = transaction
        self.table = table
    }

    /// Hands the value of `key` to `use`, nil where there is none. The bytes are valid as those of
    /// `OrderedTransaction.withValue` are.
    ///
    /// - Throws: `corrupt` (591) where the key's chain is damaged.
    func withValue<R>(
        of key: UnsafeRawBufferPointer,
        _ use: (UnsafeRawBufferPointer?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if unsafe LongKey.isPlain(key) { return try unsafe transaction.withValue(of: key, in: table, use) }
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

    /// A cursor that stands nowhere.
    func cursor() throws(StorageError) -> LongKeyCursor<Transaction> {
        LongKeyCursor(transaction, root: try transaction.cursor(table))
    }

    /// Follows a key as it is stored to its last chunk: `place` becomes the store key where its value stands, if
    /// anywhere, and the result is the table of that. Nil where the chain ends before. `visit` is told of the nodes.
    func find(
        _ key: UnsafeRawBufferPointer,
        _ place: inout KeyBuffer,
        visit: (UInt64) -> Void = { _ in }
    ) throws(StorageError) -> Table? {
        guard key.count > LongKey.cut else {
            place.removeAll()
            unsafe place.append(key)
            return table
        }
        unsafe place.setRoot(key)
        guard var node = try unsafe child(place.bytes, in: table, under: 0) else { return nil }
        visit(node)
        var rest = unsafe key[LongKey.cut...]
        while unsafe rest.count > LongKey.chunk {
            unsafe place.set(node, rest)
            guard let next = try unsafe child(place.bytes, in: .chunks, under: node) else {
                try unsafe checkNode(of: place.bytes)
                return nil
            }
            node = next
            visit(node)
            unsafe rest = rest.dropFirst(LongKey.chunk)
        }
        unsafe place.set(node, rest)
        return .chunks
    }

    /// The node that a continuation leads to, nil where there is no such continuation.
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

    /// Sees to it that the node in which a key of `chunks` would stand has an entry.
    ///
    /// - Throws: `corrupt` (591) where it is empty: no key can have led there.
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
