internal import CoreMetrics
internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeEngine
internal import StorageProtocol

/// The single writes of one database, which are committed together while they wait for each other.
///
/// The first write begins a turn at once; those that come while it is being committed wait and share the next commit,
/// at most 200 or 1 MiB. Each has an outcome of its own: one that is refused holds up no other. If the transaction as a
/// whole fails, each of its writes is done once more in one of its own, so that only those that cannot be done fail.
///
/// An outcome is told after the commit.
final class WriteLane: Sendable {
    typealias Outcome = Result<SavedRevision, any Error>

    /// A write that waits.
    struct Job: Sendable {
        var bytes: Int
        var began: ContinuousClock.Instant
        /// What judges the revision; nil if nothing does.
        var validation: @Sendable () throws -> Validation?
        /// Where `validation` keeps what it has found before the write.
        var verdicts: DesignVerdicts
        var write: @Sendable () throws -> SavedRevision
        var done: @Sendable (Outcome) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isRunning = false
    }

    private let state = Locked(State())
    private let database: Database
    private let threads: BlockingThreads
    private let metrics: ListenerMetrics
    /// For functions that judge writes.
    private let judging: LongCalls

    private static let mostWaiting = 1_000
    private static let mostOfTurn = 200
    private static let mostBytesOfTurn = 1 << 20

    init(_ database: Database, threads: BlockingThreads, judging: LongCalls, metrics: ListenerMetrics) {
        self.database = database
        self.threads = threads
        self.metrics = metrics
        self.judging = judging
    }

    /// Does a write, and returns once it is committed. It is done even if the task is cancelled meanwhile.
    ///
    /// - Parameters:
    ///   - bytes: About how much it writes.
    ///   - validation: Finds what judges the revision beside the app's own validations; nil if nothing does.
    ///   - verdicts: Where that keeps what it has found. Functions run while no write waits for them.
    /// - Throws: `service_unavailable` (503) if 1,000 writes wait; what `validation` and `write` throw.
    func write(
        bytes: Int,
        validation: @escaping @Sendable () throws -> Validation?,
        verdicts: DesignVerdicts,
        _ write: @escaping @Sendable () throws -> SavedRevision
    ) async throws -> SavedRevision {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                bytes: bytes,
                began: .now,
                validation: validation,
                verdicts: verdicts,
                write: write
            ) { continuation.resume(with: $0) }
            let (isRefused, begins) = state.withLock { (state) -> (Bool, Bool) in
                guard state.waiting.count < WriteLane.mostWaiting else { return (true, false) }
                state.waiting.append(job)
                defer { state.isRunning = true }
                return (false, !state.isRunning)
            }
            if isRefused {
                metrics.refused(.writes)
                continuation.resume(throwing: CouchError.unavailable)
            }
            if begins { Task { await run() } }
        }
    }

    /// Takes turns until nothing waits.
    private func run() async {
        while let turn = next() {
            do {
                try await threads.run { self.commit(turn) }
            } catch {
                for job in turn { job.done(.failure(error)) }
            }
        }
    }

    private func next() -> [Job]? {
        state.withLock { state in
            var bytes = 0
            var count = 0
            while count < min(state.waiting.count, WriteLane.mostOfTurn),
                count == 0 || bytes < WriteLane.mostBytesOfTurn
            {
                bytes += state.waiting[count].bytes
                count += 1
            }
            guard count > 0 else {
                state.isRunning = false
                return nil
            }
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting[..<count])
        }
    }

    private func commit(_ turn: [Job]) {
        for job in turn { metrics.laneWait.record(duration: .now - job.began) }
        metrics.commitWrites.record(turn.count)
        // Looked up outside of the transaction, since a lookup may keep what it finds.
        let writes = turn.map { job in
            let validation = Result { try job.validation() }
            return { [database] in try database.perform(judgedBy: try validation.get(), job.write) }
        }
        if turn.count > 1, let outcomes = try? together(writes) {
            for (job, outcome) in zip(turn, outcomes) { settle(job, outcome) }
            return
        }
        for (job, write) in zip(turn, writes) { settle(job, Result { try write() }) }
    }

    /// Tells the outcome, or has the write judged and tries again.
    private func settle(_ job: Job, _ outcome: Outcome) {
        guard case .failure = outcome, job.verdicts.isAsked else { return job.done(outcome) }
        Task {
            do {
                try await judging.run { job.verdicts.judge() }
            } catch {
                return job.done(.failure(error))
            }
            let begins = state.withLock { state in
                state.waiting.append(job)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if begins { await run() }
        }
    }

    private func together(_ writes: [() throws -> SavedRevision]) throws -> [Outcome] {
        try database.inTransaction { () throws in writes.map { write in Result { try write() } } }
    }
}
