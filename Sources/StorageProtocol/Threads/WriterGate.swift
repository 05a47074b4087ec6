internal import Synchronization

/// Lets one thread of the process write at a time: what `StorageEngine.beginWrite` waits for. An engine has one, and
/// closes it in `close`.
public final class WriterGate: @unchecked Sendable {
    // Sendable since `owner` is touched inside the monitor only.
    private let monitor = Monitor()
    private var owner: ThreadIdentity?
    /// Set inside the monitor, so that no thread waits that was not sent away. Read outside of it too: every call of a
    /// transaction asks.
    private let hasClosed = Atomic(false)

    public init() {}

    /// Waits until no other thread writes.
    ///
    /// - Parameter patience: for how long; nil: as long as it takes.
    /// - Throws: `notOpen` (503) once the gate is closed; `callback` (593) if this thread writes already; `busy` (595)
    ///   when the patience ends.
    public func enter(patience: Duration? = nil) throws(StorageError) {
        let thread = ThreadIdentity.current
        let end = patience.map { ContinuousClock.now.advanced(by: min($0, WriterGate.longest)) }
        try monitor.locked { () throws(StorageError) in
            while !isClosed, let writer = owner {
                if writer == thread { throw .secondWriter }
                guard let end else {
                    monitor.wait()
                    continue
                }
                // A thread that was woken and finds the gate taken sleeps again; the next `leave` wakes the next one.
                let rest = ContinuousClock.now.duration(to: end)
                guard rest > .zero else { throw .writerIsBusy }
                monitor.wait(atMost: rest)
            }
            if isClosed { throw .closed }
            owner = thread
        }
    }

    /// Lets the next one write.
    public func leave() {
        monitor.locked {
            owner = nil
            monitor.signal()
        }
    }

    /// Whether `close` was called.
    public var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

    /// Sends away all threads that wait or come later.
    public func close() {
        monitor.locked {
            hasClosed.store(true, ordering: .releasing)
            monitor.broadcast()
        }
    }

    /// About a hundred years.
    private static let longest = Duration.seconds(1 << 32)
}
