internal import Dispatch
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// Runs a query whenever its database has changed, and reports the results that differ from the one before.
final class LiveQueryRunner: Sendable {
    enum Event: Sendable {
        case result(Result<QueryResult, any Error>)
        /// The rows reported last are also those of a later state.
        case same(QueryResult)
        /// The database was closed, or there are no listeners left.
        case end
    }

    private struct State {
        var observation: ChangeObservation?
        var isStopped = false
        /// When the query ran last.
        var last: ContinuousClock.Instant?
        var result: QueryResult?
        /// The failure reported last; nil if a result was.
        var failure: StorageError?
        /// The mark of the view's rows at that time; nil: unknown.
        var mark: LiveQueryMark?
        /// Whether an update of the index runs in the background.
        var isUpdating = false
    }

    private let query: DatabaseQuery
    private let interval: Duration
    private let tell: @Sendable (Event) -> Void
    /// Cancels updates whose result is no longer needed.
    private let cancellation = Cancellation()
    /// A serial queue gets a thread as soon as it needs one.
    private let queue = DispatchQueue(label: "settee.live-query")
    private let state = Locked(State())

    init(_ query: DatabaseQuery, interval: Duration, tell: @escaping @Sendable (Event) -> Void) {
        self.query = query
        self.interval = interval
        self.tell = tell
    }

    /// Starts the runner. A second call does nothing.
    func start() {
        let subscription = state.withLock { state -> ChangeSubscription? in
            guard state.observation == nil, !state.isStopped else { return nil }
            // The changes are observed before the query first runs, so that no commit in between is missed.
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
            // The result also includes changes that arrived in between.
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
                // Commits that do not change the failure are not reported.
                guard let known, let failure = state.failure else { return true }
                return known.code != failure.code || known.message != failure.message
            }
            if isNew { tell(.result(.failure(error))) }
        }
    }

    /// How often a query is retried if the view was set again while its rows were read.
    private static let tries = 4

    /// - Returns: the current result, without running the query if the known one still holds; nil if the index of
    ///   another version cannot be reduced and the current version's index is being built.
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
                // The update begins only after the query has read what is there now.
                defer { updateBeside(mark.name, subscription) }
                do {
                    return (mark, try query.run(cancellation, leavesUpdate: false))
                } catch let error as StorageError where error.code == .badRequest {
                    return nil
                }
            } catch let error as StorageError where error.code == .conflict || error.code == .superseded {
                // A different failure comes from an even newer version.
                if error.message != failure { left = LiveQueryRunner.tries }
                failure = error.message
                guard left > 0 else { throw error }
            }
        }
    }

    /// Brings the index up to date in the background, one update at a time. Its end is handled like a change.
    private func updateBeside(_ name: IndexName, _ subscription: ChangeSubscription) {
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
            // A failed update is retried after the next commit.
            if isDone { subscription.wake() }
        }
    }
}
