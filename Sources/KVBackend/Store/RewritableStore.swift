internal import StorageProtocol

/// A store whose files can be rewritten while it is written to (`KVRewrite`): it tells what its commits change.
protocol RewritableStore: OrderedStore where Transaction: CountingTransaction {
    /// Tells `observer` of each commit of this process from now on, whichever store of the same files it uses. Waits for
    /// a write transaction in progress.
    ///
    /// - Throws: `callback` (593) if there is another exclusive observer, or this thread is writing.
    func follow(_ observer: any CommitObserver) throws(StorageError)

    /// Stops telling `observer`. May be called after `close`, and for an observer that was never added.
    func unfollow(_ observer: any CommitObserver)

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
