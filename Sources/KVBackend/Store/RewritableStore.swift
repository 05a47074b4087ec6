internal import StorageProtocol

/// A store whose files can be rewritten while it is written to (`KVRewrite`): it tells what its commits change.
protocol RewritableStore: OrderedStore where Transaction: CountingTransaction {
    /// Tells `log` from now on what the write transactions of this process change, whichever store of the same files
    /// they use. Waits for the one that is going on.
    ///
    /// - Throws: `callback` (593) where the log of another rewrite is being told, or this thread writes.
    func follow(_ log: WriteLog) throws(StorageError)

    /// Tells `log` no more. May be called after `close`, and where it was not told.
    func unfollow(_ log: WriteLog)

    /// Ends a store that nobody will open again: what is not on disk yet need not get there.
    func abandon()
}

/// A transaction of a store that numbers its commits and counts its entries.
protocol CountingTransaction: OrderedTransaction {
    /// The number of the commit that a snapshot sees last; for a write transaction, of the one that it makes. Each
    /// commit of any process that changed anything has the next one.
    var version: UInt64 { get }

    /// How many entries a table has. Complexity: flat.
    func count(of table: Table) throws(StorageError) -> UInt64
}
