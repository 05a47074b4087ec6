internal import SetteeEngine
internal import StorageProtocol

/// Wakes the feeds of one database when something has been committed, by this process or another. A feed that waits
/// costs one entry here: no task, no subscription of its own.
///
/// A feed notes `count`, reads, and waits for another count: no commit falls between.
final class ChangeSignal: Sendable {
    enum Wake: Sendable { case changed, timeout, stopped, gone }

    private struct Waiter {
        var deadline: ContinuousClock.Instant
        var judgement: FeedAccess.Judgement?
        var resume: @Sendable (Wake) -> Void
    }

    private struct State {
        var count: UInt64 = 0
        var isStopped = false
        var last = 0
        var waiters: [Int: Waiter] = [:]
        var isTicking = false
        var listener: ChangeListener?
    }

    private let database: Database
    private let state = Locked(State())

    /// How late a feed may learn that its time is over.
    private static let tick = Duration.milliseconds(50)
    /// The number of ticks between two looks at whether feeds must be judged again.
    private static let ticksToReview = 5

    init(_ database: Database) { self.database = database }

    /// How often something was committed since this began to look. Begins to look.
    var count: UInt64 {
        let isNew = state.withLock { $0.listener == nil && !$0.isStopped }
        if isNew {
            // One change is enough to know: of a large commit only that there was one is told.
            let listener = database.addChangeListener(buffer: 1) { [weak self] _ in self?.changed() }
            state.withLock { if $0.listener == nil { $0.listener = listener } }
        }
        return state.withLock { $0.count }
    }

    /// Waits until the count is another one, the client is to be judged again, which counts as a change, or has gone.
    ///
    /// - Parameter judgement: The last one of the client; nil if nothing is judged.
    func wait(
        after count: UInt64,
        until deadline: ContinuousClock.Instant,
        judged judgement: FeedAccess.Judgement?,
        for client: BodyReader
    ) async -> Wake {
        let watcher = client.makeWatcher()
        defer { client.removeWatcher(watcher) }
        return await withCheckedContinuation { continuation in
            let (wake, id, begins) = state.withLock { (state) -> (Wake?, Int, Bool) in
                if state.isStopped { return (.stopped, 0, false) }
                if state.count != count { return (.changed, 0, false) }
                state.last += 1
                state.waiters[state.last] = Waiter(deadline: deadline, judgement: judgement) {
                    continuation.resume(returning: $0)
                }
                defer { state.isTicking = true }
                return (nil, state.last, !state.isTicking)
            }
            if let wake { return continuation.resume(returning: wake) }
            if begins { Task { await watch() } }
            client.watch(watcher) { [weak self] in self?.leave(id) }
        }
    }

    private func leave(_ id: Int) { state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(.gone) }

    /// Ends all feeds, and lets none wait from now on.
    func stop() {
        let (waiters, listener) = state.withLock { state in
            state.isStopped = true
            defer {
                state.waiters = [:]
                state.listener = nil
            }
            return (state.waiters, state.listener)
        }
        for waiter in waiters.values { waiter.resume(.stopped) }
        withExtendedLifetime(listener) {}
    }

    private func changed() {
        let waiters = state.withLock { state in
            state.count &+= 1
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(.changed) }
    }

    /// Wakes those that are to be judged again. All are of one database and one policy.
    private func review() async {
        guard let access = state.withLock({ $0.waiters.values.lazy.compactMap(\.judgement).first })?.access,
            let present = try? await access.presentStamp()
        else { return }
        let old = state.withLock { state in
            let old = state.waiters.filter { $0.value.judgement?.isOld(at: present) ?? false }
            for id in old.keys { state.waiters[id] = nil }
            return old.values
        }
        for waiter in old { waiter.resume(.changed) }
    }

    /// Ends those whose time is over, as long as somebody waits.
    private func watch() async {
        var ticks = 0
        while true {
            try? await Task.sleep(for: ChangeSignal.tick)
            ticks += 1
            if ticks.isMultiple(of: ChangeSignal.ticksToReview) { await review() }
            let isOpen = database.isOpen && database.isInPlace
            let (over, goesOn) = state.withLock { state in
                let now = ContinuousClock.now
                var over: [Waiter] = []
                for (id, waiter) in state.waiters where waiter.deadline <= now || !isOpen {
                    over.append(waiter)
                    state.waiters[id] = nil
                }
                if state.waiters.isEmpty { state.isTicking = false }
                return (over, state.isTicking)
            }
            for waiter in over { waiter.resume(isOpen ? .timeout : .stopped) }
            if !goesOn { return }
        }
    }
}
