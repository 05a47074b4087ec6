internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol

/// Runs a query whenever its database has changed, and tells the results that differ.
final class LiveQueryRunner: Sendable {
    enum Event: Sendable {
        case result(Result<QueryResult, any Error>)
        /// The rows that were told last are those of a later state, too.
        case same(QueryResult)
        /// The database is closed, or nobody listens any more.
        case end
    }

    private struct State {
        var observation: ChangeObservation?
        var isStopped = false
        /// When the query ran last.
        var last: ContinuousClock.Instant?
        var result: QueryResult?
        /// What was told last, where that was a failure.
        var failure: StorageError?
        /// What the view's rows were like then; nil: not known.
        var mark: LiveQueryMark?
        /// Whether the index is brought up to date beside.
        var isUpdating = false
    }

    private let query: DatabaseQuery
    private let interval: Duration
    private let tell: @Sendable (Event) -> Void
    /// Ends what is built for nobody any more.
    private let cancellation = Cancellation()
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
            var isOfView = false
            if case .view = query.source { isOfView = true }
            let observation = query.database.observeChanges(wantsViewChanges: isOfView)
            state.observation = observation
            return observation.subscription
        }
        guard let subscription else { return }
        queue.async {
            self.run(subscription)
            self.wait(for: subscription)
        }
    }

    func stop() {
        let observation = state.withLock { state in
            state.isStopped = true
            return state.observation.take()
        }
        cancellation.cancel()
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
            self.run(subscription)
            self.wait(for: subscription)
        }
        if pause <= .zero {
            queue.async(execute: work)
        } else {
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.nanoseconds)), execute: work)
        }
    }

    private func run(_ subscription: ChangeSubscription) {
        if state.withLock({ $0.isStopped }) { return }
        defer { state.withLock { $0.last = .now } }
        do {
            let known = state.withLock { ($0.result, $0.mark) }
            guard let (mark, result) = try look(known.0, known.1, subscription) else { return }
            state.withLock { state in
                state.result = result
                state.mark = mark
                state.failure = nil
            }
            tell(result == known.0 ? .same(result) : .result(.success(result)))
        } catch {
            if let error = error as? StorageError, error.code == .notOpen || error.code == .cancelled { return }
            let isNew = state.withLock { state in
                let known = state.failure
                state.result = nil
                state.failure = error as? StorageError
                // Commits that change nothing of it are no news.
                guard let known, let failure = state.failure else { return true }
                return known.code != failure.code || known.message != failure.message
            }
            if isNew { tell(.result(.failure(error))) }
        }
    }

    /// How often the same is tried again where a view was set anew while its rows were read.
    private static let tries = 4

    /// - Returns: the present result, without running the query where it is the one that is known; nil where the index
    ///   of another version cannot be reduced, and the one that can is being built.
    private func look(
        _ known: QueryResult?,
        _ knownMark: LiveQueryMark?,
        _ subscription: ChangeSubscription
    ) throws -> (mark: LiveQueryMark?, result: QueryResult)? {
        var left = LiveQueryRunner.tries
        var failure: String?
        while true {
            left -= 1
            do {
                let present = try QueryMark(query)
                let mark = try LiveQueryMark(query, cancellation)
                if let mark, let known, mark == knownMark, !known.dependsOnDocuments {
                    if mark.isBehind { updateBeside(mark.name, subscription) }
                    return (mark, known.refreshed(present))
                }
                guard let mark, mark.isBehind else { return (mark, try query.run(cancellation, leavesUpdate: false)) }
                // Behind what can be read now.
                defer { updateBeside(mark.name, subscription) }
                do {
                    return (mark, try query.run(cancellation, leavesUpdate: false))
                } catch let error as StorageError where error.code == .badRequest {
                    return nil
                }
            } catch let error as StorageError where error.code == .conflict || error.code == .superseded {
                // Another failure than before is one of a version that is newer still.
                if error.message != failure { left = LiveQueryRunner.tries }
                failure = error.message
                guard left > 0 else { throw error }
            }
        }
    }

    /// Brings the index up to date in the background, one update at a time. Its end is looked at as a change is.
    private func updateBeside(_ name: ViewName, _ subscription: ChangeSubscription) {
        let begins = state.withLock { state in
            guard !state.isUpdating, !state.isStopped else { return false }
            state.isUpdating = true
            return true
        }
        guard begins else { return }
        let updater = IndexUpdater(query.database, [name], cancellation: cancellation)
        DispatchQueue(label: "settee.live-query.update").async {
            var isDone = false
            do throws(StorageError) {
                try updater.run()
                isDone = true
            } catch {
                if error.code != .notOpen, error.code != .cancelled {
                    Log.log(.error, .view, "The index of a live query was not updated: \(Log.describe(error))")
                }
            }
            self.state.withLock { $0.isUpdating = false }
            // What failed is tried again with the next commit.
            if isDone { subscription.wake() }
        }
    }
}
