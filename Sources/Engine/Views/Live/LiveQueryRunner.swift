internal import Dispatch
internal import StorageProtocol

/// Runs a query whenever its database has changed, and tells the results that differ.
final class LiveQueryRunner: Sendable {
    enum Event: Sendable {
        case result(Result<QueryResult, any Error>)
        /// The database is closed, or nobody listens any more.
        case end
    }

    private struct State {
        var observation: ChangeObservation?
        var isStopped = false
        /// When the query ran last.
        var last: ContinuousClock.Instant?
        var result: QueryResult?
        /// The sequence at which the view's rows had last changed then; nil: not known.
        var changed: LiveQueryMark?
    }

    private let query: DatabaseQuery
    private let interval: Duration
    private let tell: @Sendable (Event) -> Void
    /// A serial queue has a thread as soon as it needs one.
    private let queue = DispatchQueue(label: "settee.live-query")
    private let state = Locked(State())

    init(_ query: DatabaseQuery, interval: Duration, tell: @escaping @Sendable (Event) -> Void) {
        self.query = query
        self.interval = interval
        self.tell = tell
    }

    /// Begins. A second call does nothing.
    func start() {
        let subscription = state.withLock { state -> ChangeSubscription? in
            guard state.observation == nil, !state.isStopped else { return nil }
            // Observed before it is run, so that nothing comes in between unseen.
            let observation = query.database.changeFeed.subscribe(following: nil, limit: 1)
            state.observation = observation
            return observation.subscription
        }
        guard let subscription else { return }
        queue.async {
            self.run()
            self.wait(for: subscription)
        }
    }

    func stop() {
        let observation = state.withLock { state in
            state.isStopped = true
            return state.observation.take()
        }
        observation?.subscription.end()
    }

    // MARK: - On the queue

    private func wait(for subscription: ChangeSubscription) {
        if let item = subscription.take(orLater: { item in self.arrived(item, subscription) }) {
            arrived(item, subscription)
        }
    }

    private func arrived(_ item: ChangeSubscription.Item, _ subscription: ChangeSubscription) {
        if case .end = item { return queue.async { self.tell(.end) } }
        let pause = state.withLock { state in state.last.map { interval - ($0.duration(to: .now)) } ?? .zero }
        let work: @Sendable () -> Void = {
            // What has come meanwhile is in the result, too.
            while let next = subscription.take() {
                if case .end = next { return self.tell(.end) }
            }
            self.run()
            self.wait(for: subscription)
        }
        if pause <= .zero {
            queue.async(execute: work)
        } else {
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.nanoseconds)), execute: work)
        }
    }

    private func run() {
        if state.withLock({ $0.isStopped }) { return }
        defer { state.withLock { $0.last = .now } }
        do {
            let known = state.withLock { ($0.result, $0.changed) }
            let mark = try LiveQueryMark(query)
            if let mark, let result = known.0, mark == known.1, !result.dependsOnDocuments { return }
            let result = try query.run()
            state.withLock { state in
                state.result = result
                state.changed = mark
            }
            if result != known.0 { tell(.result(.success(result))) }
        } catch {
            if let error = error as? StorageError, error.code == .notOpen { return }
            state.withLock { $0.result = nil }
            tell(.result(.failure(error)))
        }
    }
}

/// By what one sees without running a query of a view that its rows are the same as before.
struct LiveQueryMark: Sendable, Equatable {
    private let index: String
    private let lastChangedSequence: UInt64
    private let reduce: String?

    /// Brings the view's index up to date where the query wants that. Nil where the query has to be run.
    init?(_ query: DatabaseQuery) throws(StorageError) {
        guard case .view(let text) = query.source, query.update == .before, !query.database.isReadOnly else {
            return nil
        }
        let name = try ViewName(text)
        try IndexUpdater(query.database, [name]).run()
        let mark = try query.database.withReadTransaction {
            (transaction) throws(StorageError) -> (String, UInt64, String?)? in
            let view = try ViewState(name, of: query.database, in: transaction)
            let source = try ReadableIndex(
                view,
                of: query.database,
                in: transaction,
                mode: .before,
                identity: nil
            )
            guard let index = source.index, source.overlay == nil else { return nil }
            return (index, source.lastChangedSequence, view.function?.reduce?.identity)
        }
        guard let mark else { return nil }
        index = mark.0
        lastChangedSequence = mark.1
        reduce = mark.2
    }
}
