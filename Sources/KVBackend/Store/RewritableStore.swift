internal import StorageProtocol

/// A store whose files can be rewritten while it is written to (`KVRewrite`): it reports what its commits change.
protocol RewritableStore: OrderedStore where Transaction: CountingTransaction {
    /// From now on, reports to `observer` what the write transactions of this process change, whichever store of the
    /// same files they use. Waits for the current one.
    ///
    /// - Throws: `callback` (593) if there is another exclusive observer, or this thread is writing.
    func follow(_ observer: any CommitObserver) throws(StorageError)

    /// Stops reporting to `observer`. May be called after `close`, and if nothing was reported to it.
    func unfollow(_ observer: any CommitObserver)

    /// Closes a store that will not be opened again: what is not on disk yet need not be written.
    func abandon()
}

/// A transaction of a store that numbers its commits and counts its entries.
protocol CountingTransaction: OrderedTransaction {
    /// The number of the last commit that a snapshot sees; in a write transaction, that of the commit it makes. Each
    /// commit of any process that changed anything has the next number.
    var version: UInt64 { get }

    /// Returns the number of entries of a table. Complexity: O(1).
    func count(of table: Table) throws(StorageError) -> UInt64
}
