internal import StorageProtocol

/// One generation of a database's engine, with the number of transactions that use it. Guarded by `Database`'s state lock.
final class OpenGeneration {
    let engine: any StorageEngine
    var users = 0
    /// What to do when the last user is gone, once a newer generation has taken over or the database was closed.
    var retirement: (@Sendable () -> Void)?

    init(_ engine: any StorageEngine) { self.engine = engine }
}
