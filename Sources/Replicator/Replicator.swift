internal import SetteeEngine
internal import StorageProtocol

/// Passes documents on between a database here and another one.
///
/// ```swift
/// var setup = ReplicatorConfiguration(database: database, target: .url("https://example.com/orders"))
/// setup.direction = .pull
/// try await Replicator(setup).run()
/// ```
///
/// It may be used from any task and thread. It runs in tasks of its own between `start` and `stop`, or inside `run`,
/// not both. A stop at any moment leaves a checkpoint, from which the next run goes on, by this replicator or another
/// one that is configured alike. Releasing a replicator stops it.
public final class Replicator: Sendable {
    public let configuration: ReplicatorConfiguration
    let monitor: ReplicationMonitor
    let failures = FailedDocuments()
    let connect: @Sendable () throws -> any Peer
    let limits: ReplicationLimits
    private let running: Locked<Running> = Locked(.nothing)

    private enum Running {
        case nothing
        case run
        case task(Task<Void, Never>)
    }

    public convenience init(_ configuration: ReplicatorConfiguration) {
        self.init(configuration, limits: ReplicationLimits()) { try Replicator.targetPeer(of: configuration) }
    }

    /// - Parameter connect: makes the other side.
    init(
        _ configuration: ReplicatorConfiguration,
        limits: ReplicationLimits,
        connect: @escaping @Sendable () throws -> any Peer
    ) {
        self.configuration = configuration
        monitor = ReplicationMonitor(configuration)
        self.limits = limits
        self.connect = connect
    }

    deinit {
        running.withLock { if case .task(let task) = $0 { task.cancel() } }
    }

    /// Replicates. Returns when all changes that there were at the beginning are passed on, also of documents that have
    /// changed since, if they do not change all the time; a continuous replication goes on until the task is cancelled.
    ///
    /// Documents that are refused do not end it: see `documentEvents` and `retryFailed`.
    ///
    /// - Throws: `ReplicationError`, with `allRefused` at its end if every document of a push was refused;
    ///   `CancellationError` if the task is cancelled.
    public func run() async throws {
        try begin(.run)
        defer { running.withLock { $0 = .nothing } }
        try await attempts().run()
    }

    /// Begins to replicate. Does nothing if it runs.
    public func start() {
        let attempts = attempts()
        running.withLock { running in
            guard case .nothing = running else { return }
            running = .task(
                Task { [weak self] in
                    try? await attempts.run()
                    self?.running.withLock { $0 = .nothing }
                }
            )
        }
    }

    /// Ends what `start` began, and returns when it has ended.
    public func stop() async {
        let task = running.withLock { running -> Task<Void, Never>? in
            guard case .task(let task) = running else { return nil }
            return task
        }
        task?.cancel()
        await task?.value
    }

    /// Tries the documents again that were not passed on, also those of earlier runs, which the database keeps. What
    /// fails again is kept again.
    ///
    /// - Throws: `ReplicationError` if the other side cannot be reached.
    public func retryFailed() async throws { try await attempts().retry() }

    /// The documents that were not passed on, the newest 1,000 of them, each with the reason. Those of earlier runs are
    /// among them as soon as this replicator has begun to run.
    public var failedDocuments: [ReplicatedDocument] { failures.all }

    private func begin(_ new: Running) throws(ReplicationError) {
        let isFree = running.withLock { running in
            guard case .nothing = running else { return false }
            running = new
            return true
        }
        guard isFree else { throw ReplicationError(.badConfiguration, "The replicator runs already.") }
    }

    private func attempts() -> ReplicationAttempts {
        ReplicationAttempts(configuration, limits, monitor, failures, connect)
    }
}
