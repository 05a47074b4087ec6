internal import Dispatch
internal import Settee
internal import Synchronization

/// Ten observers that count changes: five closures and five asynchronous sequences.
final class Observers {
    private static let each = 5

    private let counters: [Counter]
    private let expected: Int
    private var listeners: [ChangeListener] = []
    private var tasks: [Task<Void, Never>] = []

    /// - Parameter expected: how many changes each observer receives; its buffer has room for as many.
    init(_ database: Database, expecting expected: Int) {
        self.expected = expected
        counters = (0..<2 * Observers.each).map { _ in Counter(goal: expected) }
        for counter in counters.prefix(Observers.each) {
            listeners.append(database.addChangeListener(buffer: expected) { counter.count($0) })
        }
        for counter in counters.suffix(Observers.each) {
            let changes = database.changes(buffer: expected)
            tasks.append(Task { for await change in changes { counter.count(change) } })
        }
    }

    /// Waits until each observer has received all changes, and ends them.
    func finish() throws(StorageError) {
        for counter in counters { counter.reached.wait() }
        listeners = []
        for task in tasks { task.cancel() }
        guard counters.allSatisfy({ $0.missed.load(ordering: .relaxed) == 0 }) else {
            throw StorageError(.unexpected, "An observer missed changes.")
        }
    }

    /// Counts the changes of one observer.
    private final class Counter: Sendable {
        let reached = DispatchSemaphore(value: 0)
        let missed = Atomic<Int>(0)
        private let told = Atomic<Int>(0)
        private let goal: Int

        init(goal: Int) { self.goal = goal }

        func count(_ change: DatabaseChange) {
            if case .missed = change { missed.add(1, ordering: .relaxed) }
            let now = told.add(1, ordering: .relaxed).newValue
            if now == goal || missed.load(ordering: .relaxed) > 0 { reached.signal() }
        }
    }
}
