public import StorageProtocol
internal import Synchronization

/// Lets one thread of the process write at a time: `StorageEngine.beginWrite` waits here. Each engine has one gate and
/// closes it in `close`.
public final class WriterGate: @unchecked Sendable {
    // Sendable because `owner` is only accessed inside the monitor.
    private let monitor = Monitor()
    private var owner: ThreadIdentity?
    /// Set inside the monitor, so that a thread cannot begin to wait after `close` has woken the waiting ones. Read
    /// without it, because every call of a transaction reads it.
    private let hasClosed = Atomic(false)

    public init() {}

    /// Waits until no other thread is writing.
    ///
    /// - Parameter patience: How long to wait; nil: as long as it takes.
    /// - Throws: `notOpen` (503) once the gate is closed; `callback` (593) if this thread is already writing; `busy`
    ///   (595) if the patience ends.
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

    /// Lets the next thread write.
    public func leave() {
        monitor.locked {
            owner = nil
            monitor.signal()
        }
    }

    /// Whether `close` was called.
    public var isClosed: Bool { hasClosed.load(ordering: .acquiring) }

    /// Turns away every thread that is waiting or comes later.
    public func close() {
        monitor.locked {
            hasClosed.store(true, ordering: .releasing)
            monitor.broadcast()
        }
    }

    /// About a hundred years.
    private static let longest = Duration.seconds(1 << 32)
}
