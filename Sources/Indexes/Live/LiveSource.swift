package import SetteeEngine
package import StorageProtocol

/// Something in a database that is shown as it is now, and again whenever it has changed: the rows of a query.
package protocol LiveSource: Sendable {
    associatedtype Value: Sendable, Equatable
    /// What is kept of a look so that the next one costs less.
    associatedtype Mark: Sendable

    /// Begins to observe what the value may depend on.
    func observe() -> ChangeObservation

    /// Returns the present value, or the known one if it still holds. On a background thread, one call at a time.
    ///
    /// - Parameters:
    ///   - known: what the last look returned; nil before the first one, and after a failure.
    ///   - changes: what has changed since `known`. Changes that are committed during the call are among those of the
    ///     next call, whether or not this one saw them.
    /// - Returns: nil if there is nothing to show before an update in the background has ended.
    /// - Throws: `conflict` (409) and `superseded` (412) if something was replaced during the look, which is repeated
    ///   then.
    func look(
        _ known: LiveLook<Self>?,
        _ changes: LiveChanges,
        _ context: LiveContext
    ) throws -> LiveLook<Self>?
}

/// What a look has found.
package struct LiveLook<Source: LiveSource>: Sendable {
    package let value: Source.Value
    package let mark: Source.Mark

    package init(_ value: Source.Value, _ mark: Source.Mark) {
        self.value = value
        self.mark = mark
    }
}

/// What has changed between two looks.
package struct LiveChanges: Sendable {
    /// More changed documents than these are not told apart.
    package static let most = 1000

    /// The documents that have changed, been purged or expired, and nothing else has changed; nil: anything may have.
    package private(set) var documentIDs: Set<DocumentID>? = []

    mutating func add(_ item: ChangeSubscription.Item) {
        switch item {
        case .changes(let changes):
            for change in changes { documentIDs?.insert(change.documentID) }
            if let count = documentIDs?.count, count > LiveChanges.most { documentIDs = nil }
        case .missed: documentIDs = nil
        case .end: break
        }
    }
}

/// What a look may use.
package struct LiveContext {
    /// Cancels work that is no longer wanted.
    package let cancellation: Cancellation
    /// Begins an update of indexes in the background, unless one is running. Its end is handled like a change of
    /// anything.
    package let update: (_ work: @escaping @Sendable () throws(StorageError) -> Void) -> Void
}
