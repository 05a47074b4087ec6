internal import StorageProtocol

/// An ordered, transactional store of byte strings in the tables of `Table`: the interface of the key-value engine to a
/// library.
///
/// Keys are in `memcmp` order, a prefix first. The engine ensures that only one thread writes at a time, that a
/// transaction stays on its thread, and that nothing is called after `close`. Whether other processes may use the files
/// at the same time, and how unused space is freed, is said by the capabilities of the concrete engine.
protocol OrderedStore: AnyObject, Sendable {
    associatedtype Transaction: OrderedTransaction

    /// Begins a snapshot. Must be ended.
    func beginRead() throws(StorageError) -> Transaction

    /// Begins the write transaction. Must be committed or ended.
    func beginWrite() throws(StorageError) -> Transaction

    /// Makes everything committed so far survive power loss, by any process and with any durability. Also moves what
    /// commits have left in a log into the data files, if the store has a log.
    func checkpoint() throws(StorageError)

    /// Gives the commits of all write transactions begun from now on `Durability.full`, until the store is closed. Does
    /// nothing if they already have it.
    func raiseDurability() throws(StorageError)

    /// Checks the store's own integrity.
    ///
    /// - Parameter step: called now and then where that takes long. Throwing stops the check with that error.
    func verify(
        step: () throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError)

    /// Returns current figures. `openTransactions` is maintained by the engine and 0 here.
    func statistics() throws(StorageError) -> StorageStatistics

    /// The engine was closed, but transactions have not ended. They only end from now on. The files may be opened again
    /// before `close`. Does nothing by default.
    func linger()

    /// Closes the store. There are no more live transactions.
    func close()
}

extension OrderedStore {
    func linger() {}
}
