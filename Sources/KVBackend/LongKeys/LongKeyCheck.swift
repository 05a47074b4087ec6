internal import StorageEngineKit
internal import StorageProtocol

/// Checks whether the chains of long keys are intact: passes the tables with long keys to `LongKeyChains`, then
/// `chunks`.
enum LongKeyCheck {
    /// - Parameter nextNode: The counter of nodes.
    /// - Returns: False if two continuations lead to one node. A walk over all keys may then not end in a reasonable
    ///   time.
    /// - Throws: Errors of the store; damage to the chains is passed to `report`.
    static func run<Transaction: OrderedTransaction>(
        in transaction: Transaction,
        nextNode: UInt64,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) -> Bool {
        var chains = LongKeyChains(Transaction.keyLayout, nextNode: nextNode)
        for table in LongKey.tables {
            try unsafe visit(transaction.cursor(table, for: .wholeTable)) { (key, value) in
                unsafe chains.takeRoot(key.bytes, value.bytes, in: "the table '\(table.name)'", report)
            }
        }
        try unsafe visit(transaction.cursor(.chunks, for: .wholeTable)) { (key, value) in
            unsafe chains.takeNode(key.bytes, value.bytes, in: "'chunks'", report)
        }
        chains.end(report)
        return chains.isTree
    }

    private static func visit(
        _ cursor: some OrderedCursor,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        defer { cursor.close() }
        var isThere = try cursor.seek(.first)
        var order = KeyOrder()
        while isThere {
            try unsafe order.pass(cursor.key)
            unsafe visit(cursor.key, cursor.value)
            isThere = try cursor.next()
        }
    }
}
