internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol

/// Looks at a source whenever its database has changed, and reports the values that differ from the one before.
final class LiveRunner<Source: LiveSource>: Sendable {
    enum Event: Sendable {
        case result(Result<Source.Value, any Error>)
        /// The value reported last is also that of a later state.
        case same(Source.Value)
        /// The database was closed, or there are no listeners left.
        case end
    }

    private struct State {
        var observation: ChangeObservation?
        var isStopped = false
        /// When the last look ended.
        var last: ContinuousClock.Instant?
        /// What it found; nil before the first one and after a failure.
        var known: LiveLook<Source>?
        /// What has changed since then.
        var changes = LiveChanges()
        /// The failure reported last; nil if a value was.
        var failure: StorageError?
        /// Whether an update runs in the background.
        var isUpdating = false
    }

    private let source: Source
    private let interval: Duration
    private let tell: @Sendable (Event) -> Void
    /// Cancels updates whose result is no longer needed.
    private let cancellation = Cancellation()
    /// A serial queue gets a thread as soon as it needs one.
    private let queue = DispatchQueue(label: "settee.live-query")
    private let state = Locked(State())

    /// - Parameter interval: the least time between two looks.
    init(_ source: Source, interval: Duration, tell: @escaping @Sendable (Event) -> Void) {
        self.source = source
        self.interval = max(.zero, interval)
        self.tell = tell
    }

    /// Starts the runner. A second call does nothing.
    func start() {
        let subscription = state.withLock { state -> ChangeSubscription? in
            guard state.observation == nil, !state.isStopped else { return nil }
            // The changes are observed before the first look, so that no commit in between is missed.
            let observation = source.observe()
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
        let pause = state.withLock { state in
            state.changes.add(item)
            return state.last.map { interval - ($0.duration(to: .now)) } ?? .zero
        }
        let work: @Sendable () -> Void = {
            // The result also includes changes that arrived in between.
            while let next = subscription.take() {
                if case .end = next { return self.tell(.end) }
                self.state.withLock { $0.changes.add(next) }
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
            let (known, changes) = state.withLock { ($0.known, $0.changes) }
            guard let found = try look(known, changes, subscription) else { return }
            state.withLock { state in
                state.known = found
                state.changes = LiveChanges()
                state.failure = nil
            }
            tell(found.value == known?.value ? .same(found.value) : .result(.success(found.value)))
        } catch {
            if let error = error as? StorageError, error.code == .notOpen || error.code == .cancelled { return }
            let isNew = state.withLock { state in
                let known = state.failure
                state.known = nil
                state.failure = error as? StorageError
                // Commits that do not change the failure are not reported.
                guard let known, let failure = state.failure else { return true }
                return known.code != failure.code || known.message != failure.message
            }
            if isNew { tell(.result(.failure(error))) }
        }
    }

    private func look(
        _ known: LiveLook<Source>?,
        _ changes: LiveChanges,
        _ subscription: ChangeSubscription
    ) throws -> LiveLook<Source>? {
        /// How often a look is repeated if something was replaced while it was read.
        let tries = 4
        let context = LiveContext(cancellation: cancellation) { self.updateBeside(subscription, $0) }
        var left = tries
        var failure: String?
        while true {
            left -= 1
            do {
                return try source.look(known, changes, context)
            } catch let error as StorageError where error.code == .conflict || error.code == .superseded {
                // A different failure comes from an even newer version.
                if error.message != failure { left = tries }
                failure = error.message
                guard left > 0 else { throw error }
            }
        }
    }

    /// Runs an update in the background, one at a time. Its end is handled like a change.
    private func updateBeside(
        _ subscription: ChangeSubscription,
        _ work: @escaping @Sendable () throws(StorageError) -> Void
    ) {
        let begins = state.withLock { state in
            guard !state.isUpdating, !state.isStopped else { return false }
            state.isUpdating = true
            return true
        }
        guard begins else { return }
        DispatchQueue(label: "settee.live-query.update").async {
            var isDone = false
            do throws(StorageError) {
                try work()
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
