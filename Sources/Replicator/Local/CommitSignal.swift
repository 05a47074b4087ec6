internal import SetteeEngine
internal import StorageProtocol

/// Wakes who waits for changes of a database. Note `count`, read, and wait for another count: no commit falls between.
final class CommitSignal: Sendable {
    private struct State {
        var count: UInt64 = 0
        var last = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var listener: ChangeListener?
    }

    private let database: Database
    private let state = Locked(State())
    /// How late a waiter may learn that the database was closed.
    private static let tick = Duration.seconds(2)

    init(_ database: Database) { self.database = database }

    /// How often something was committed since this began to look. Begins to look.
    var count: UInt64 {
        if state.withLock({ $0.listener == nil }) {
            // One change is enough to know.
            let listener = database.addChangeListener(buffer: 1) { [weak self] _ in self?.committed() }
            state.withLock { if $0.listener == nil { $0.listener = listener } }
        }
        return state.withLock { $0.count }
    }

    /// Waits until the count is another one.
    ///
    /// - Returns: false if the time is over, the task cancelled or the database closed.
    func wait(after count: UInt64, until deadline: ContinuousClock.Instant) async -> Bool {
        while !Task.isCancelled, database.isOpen {
            if state.withLock({ $0.count != count }) { return true }
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return false }
            let number = state.withLock { state in
                state.last += 1
                return state.last
            }
            await withTaskCancellationHandler {
                await pause(number, count, min(left, CommitSignal.tick))
            } onCancel: {
                wake(number)
            }
        }
        return !Task.isCancelled && state.withLock { $0.count != count }
    }

    private func pause(_ number: Int, _ count: UInt64, _ longest: Duration) async {
        var timer: Task<Void, Never>?
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                // A cancellation before this found nobody waiting.
                if state.count != count || Task.isCancelled { return true }
                state.waiters[number] = continuation
                return false
            }
            guard !isOver else { return continuation.resume() }
            timer = Task { [weak self] in
                try? await Task.sleep(for: longest)
                self?.wake(number)
            }
        }
        timer?.cancel()
    }

    private func wake(_ number: Int) { state.withLock { $0.waiters.removeValue(forKey: number) }?.resume() }

    private func committed() {
        let waiters = state.withLock { state in
            state.count &+= 1
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }
}
