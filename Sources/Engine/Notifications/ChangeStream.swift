internal import StorageProtocol

/// Changes as an asynchronous sequence, each once and in order, after their commits.
///
/// The first iterator gets everything committed since the call that made the sequence, even if iterating begins later.
/// Each further iterator begins with what is committed after it was made or, if a sequence number was given, after that
/// one again. Iterators do not take changes from each other. An iterator is used by one task at a time.
///
/// The sequence ends (nil) when the task is cancelled, and when the database is closed, after everything committed
/// before. It does not keep the database open.
public struct ChangeStream: AsyncSequence, Sendable {
    public typealias Element = DatabaseChange
    public typealias Failure = Never

    private let source: Source

    private final class Source: Sendable {
        let subscribe: @Sendable () -> ChangeObservation
        let first: Locked<ChangeObservation?>

        init(_ subscribe: @escaping @Sendable () -> ChangeObservation) {
            self.subscribe = subscribe
            first = Locked(subscribe())
        }
    }

    init(_ subscribe: @escaping @Sendable () -> ChangeObservation) { source = Source(subscribe) }

    public func makeAsyncIterator() -> Iterator {
        Iterator(source.first.withLock { $0.take() } ?? source.subscribe())
    }

    /// Waits for changes and returns them one by one.
    public struct Iterator: AsyncIteratorProtocol {
        private let observation: ChangeObservation
        private var changes: ArraySlice<DocumentChange> = []

        init(_ observation: ChangeObservation) { self.observation = observation }

        /// Returns the next change; nil at the end, and then always nil.
        public mutating func next() async -> DatabaseChange? {
            if Task.isCancelled {
                changes = []
                observation.subscription.end()
                return nil
            }
            if let change = changes.popFirst() { return .document(change) }
            switch await observation.subscription.next() {
            case .changes(let taken):
                changes = taken
                return changes.popFirst().map { .document($0) }
            case .missed(let since): return .missed(since: since)
            case .end: return nil
            }
        }
    }
}

extension ChangeSubscription {
    /// What is there, or what comes next. Cancelling the task ends the subscription.
    fileprivate func next() async -> Item {
        if let item = take() { return item }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let item = take(orLater: { continuation.resume(returning: $0) }) {
                    continuation.resume(returning: item)
                }
            }
        } onCancel: {
            end()
        }
    }
}
