internal import Dispatch
internal import Foundation
internal import SetteeStorageFiles
internal import StorageProtocol
internal import Synchronization

/// Rewrites a database's files, automatically once much of them is free, and on request: one rewrite at a time. It has
/// a thread of its own only during an automatic rewrite, and does not keep the database alive.
///
/// docs/internals/compaction.md describes it.
final class Compactor: Sendable {
    /// Smaller files are not rewritten automatically.
    static let minimumBytes: UInt64 = 1 << 20
    /// How long after a commit the store is checked, and the least time between two checks.
    static let interval = Duration.milliseconds(250)
    /// The pause after an automatic rewrite that gave back little: the estimate was wrong.
    static let rest = Duration.seconds(120)
    /// How often the store is checked during that pause: it may have grown a lot.
    private static let restingInterval = Duration.seconds(2)
    /// The longest time that a check is put off, because the reason to wait may have gone before.
    private static let longestDelay = Duration.seconds(120)
    /// How often a requested rewrite begins again if writers outrun the copy.
    private static let attempts = 3

    /// Serial, because a serial queue gets a thread as soon as it needs one. A concurrent queue shares a few threads,
    /// and all of them may be busy.
    private let queue = DispatchQueue(label: "settee.compaction", qos: .utility)
    private let state = Locked(State())
    /// Whether commits matter, and whether a check is scheduled: everything that a commit accesses.
    private let isWatching = Atomic(false)
    private let lookPending = Atomic(false)
    let space = DiskReserve()

    /// Begins to look after the store.
    ///
    /// - Parameter threshold: the share of the files that must be free; nil: nothing is rewritten automatically.
    func start(_ database: Database, threshold: Double?) {
        state.withLock { state in
            state.database = database.reference
            state.wanted = threshold
        }
        adapt(to: database.setup.capabilities)
    }

    /// The store now belongs to an engine with these capabilities. Only stores that are rewritten in steps are
    /// rewritten automatically.
    func adapt(to capabilities: StorageCapabilities) {
        let threshold = state.withLock { state in
            state.threshold = capabilities.compaction == .inSteps ? state.wanted : nil
            return state.threshold
        }
        isWatching.store(threshold != nil, ordering: .releasing)
        // It may already need a rewrite.
        noteCommit()
    }

    /// Ends a rewrite in progress and begins no other.
    func stop() {
        isWatching.store(false, ordering: .relaxed)
        let run = state.withLock { state in
            state.isStopped = true
            return state.run
        }
        run?.cancel()
    }

    /// A commit has written something.
    func noteCommit() {
        guard isWatching.load(ordering: .relaxed) else { return }
        lookSoon(after: Compactor.interval)
    }

    /// Whether a check of the store is scheduled.
    var isLookPending: Bool { lookPending.load(ordering: .relaxed) }

    var status: CompactionStatus {
        state.withLock { state in
            var status = CompactionStatus()
            status.threshold = state.isStopped ? nil : state.threshold
            status.isRunning = state.run != nil
            status.progress = state.run?.share
            status.prevented = state.run == nil ? state.prevented : nil
            status.last = state.last
            return status
        }
    }

    // MARK: - By request

    /// Rewrites the files, or waits for the rewrite in progress, without its pauses.
    ///
    /// - Throws: `inUse` (423) naming the other processes that have the database open, `full` (507), `notOpen` (503), a
    ///   storage failure.
    func rewrite(_ database: Database) throws(StorageError) {
        for attempt in 1... {
            do throws(StorageError) {
                try rewriteOnce(database)
                return
            } catch {
                // An automatic rewrite may have been slower than the writers, or given up.
                guard error.code == .conflict, attempt < Compactor.attempts else { throw error }
            }
        }
    }

    private func rewriteOnce(_ database: Database) throws(StorageError) {
        let run = CompactionRun(isHurried: true)
        if let other = try take(run) {
            other.hurry()
            _ = try other.wait().get()
            return
        }
        let failure: StorageError?
        do throws(StorageError) {
            try run.begin(database, space: space)
            try run.copy(space: space)
            try run.switchOver(database)
            failure = nil
        } catch {
            failure = error
        }
        _ = try end(run, failure, isAsked: true).get()
    }

    // MARK: - One at a time

    /// Runs `body`, which changes the manifest in another way: one thread at a time, and nothing is rewritten during
    /// it.
    ///
    /// - Parameter forRewrite: whether it rewrites the files itself. A rewrite in progress is then finished first;
    ///   otherwise it is begun again.
    /// - Throws: `conflict` (409) if another thread does so.
    func pausing(
        forRewrite: Bool = true,
        _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
        guard state.withLock({ $0.pause() }) else { throw Compactor.paused }
        defer { state.withLock { $0.isPaused = false } }
        while forRewrite, let run = state.withLock({ $0.run }) {
            run.hurry()
            _ = run.wait()
        }
        try body()
        noteCommit()
    }

    /// - Throws: `notOpen` (503) once the database is being closed.
    func requireOpen() throws(StorageError) {
        if state.withLock({ $0.isStopped }) { throw StorageError(.notOpen, "The database is closed.") }
    }

    private static let paused = StorageError(
        .conflict,
        "The database is being written anew by another thread. Try again when that is over."
    )

    /// Makes `run` the one in progress. If there already is one, that one is returned instead.
    private func take(_ run: CompactionRun) throws(StorageError) -> CompactionRun? {
        let taken = state.withLock { state -> Result<CompactionRun?, StorageError> in
            if state.isStopped { return .failure(StorageError(.notOpen, "The database is closed.")) }
            if state.isPaused { return .failure(Compactor.paused) }
            if let other = state.run { return .success(other) }
            state.run = run
            return .success(nil)
        }
        return try taken.get()
    }

    /// The run is finished, and the next one may begin.
    private func end(
        _ run: CompactionRun,
        _ failure: StorageError?,
        isAsked: Bool
    ) -> Result<CompactionStatus.Rewrite, StorageError> {
        let result = run.settle(failure)
        finish(run) { $0.note(result, isAsked: isAsked) }
        return result
    }

    /// The run has found nothing to do. A request that has joined it begins one of its own.
    private func drop(_ run: CompactionRun) {
        _ = run.settle(CompactionRun.notDue)
        finish(run) { _ in nil }
    }

    /// - Parameter note: notes how the run ended; returns when to check again even if nothing is committed.
    private func finish(_ run: CompactionRun, _ note: (inout State) -> Duration?) {
        let (retry, isLookMissed) = state.withLock { state in (note(&state), state.endRun()) }
        run.release()
        if isWatching.load(ordering: .relaxed) {
            if isLookMissed { lookSoon(after: Compactor.interval) } else if let retry { lookSoon(after: retry) }
        }
    }

    // MARK: - By itself

    private func lookSoon(after delay: Duration) {
        guard !lookPending.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let nanoseconds = min(delay, Compactor.longestDelay).nanoseconds
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self] in
            self?.look()
        }
    }

    private func look() {
        lookPending.store(false, ordering: .releasing)
        let (database, rest, unlessBytes) = state.withLock { state -> (DatabaseReference?, Duration, UInt64?) in
            guard !state.isStopped, state.threshold != nil, state.mayLook() else { return (nil, .zero, nil) }
            let rest = state.notBefore.map { $0 - .now } ?? .zero
            return (state.database, rest, state.unlessBytes)
        }
        guard let database else { return }
        let isResting = rest > .zero
        guard let least = isResting ? unlessBytes : 0 else { return lookSoon(after: rest) }
        guard let name = nameIfDue(database.database, atLeast: least) else {
            if isResting { lookSoon(after: min(rest, Compactor.restingInterval)) }
            return
        }
        let run = CompactionRun(isHurried: state.withLock { $0.isRushed })
        guard let taken = try? take(run) == nil, taken else { return }
        // It waits a lot, for writers and in its pauses; the store is checked during this.
        Thread.detachNewThread { self.rewriteByItself(run, database, name, atLeast: least) }
    }

    private func rewriteByItself(
        _ run: CompactionRun,
        _ database: DatabaseReference,
        _ name: String,
        atLeast least: UInt64
    ) {
        run.startWorking()
        var isDue = true
        let failure: StorageError?
        do throws(StorageError) {
            try Compactor.with(database) { (open) throws(StorageError) in
                // What the store says during a commit may be wrong: the files have grown for pages that nothing
                // refers to yet.
                isDue = try run.betweenCommits(of: open) { nameIfDue(open, atLeast: least) != nil }
                guard isDue else { return }
                Log.log(.debug, .storage, "\(name): the files are being rewritten, since much of them is free")
                try run.begin(open, space: space)
            }
            guard isDue else { return drop(run) }
            try run.copy(space: space)
            try Compactor.with(database) { (open) throws(StorageError) in try run.switchOver(open) }
            failure = nil
        } catch {
            failure = error
        }
        tell(name, end(run, failure, isAsked: false))
    }

    /// Returns the name of the database if its files have at least `least` bytes and much of that is free.
    private func nameIfDue(_ database: Database?, atLeast least: UInt64) -> String? {
        guard let database, let threshold = state.withLock({ $0.threshold }) else { return nil }
        guard let generation = try? database.enter() else { return nil }
        defer { database.leave(generation) }
        guard let figures = try? generation.engine.statistics(),
            figures.bytesOnDisk >= max(least, Compactor.minimumBytes)
        else {
            return nil
        }
        return Double(figures.reclaimableBytes) >= threshold * Double(figures.bytesOnDisk) ? database.name : nil
    }

    /// Runs `body` on the database if it still exists. This does not keep it alive longer, because the code that runs
    /// here may release the last reference.
    private static func with(
        _ database: DatabaseReference,
        _ body: (Database) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let present = database.database else { throw CompactionRun.cancelled }
        try body(present)
    }

    private func tell(_ name: String, _ result: Result<CompactionStatus.Rewrite, StorageError>) {
        switch result {
        case .success(let rewrite):
            Log.log(
                .info,
                .storage,
                "\(name) was rewritten: \(rewrite.bytesBefore) bytes before, \(rewrite.bytesAfter) after"
            )
        case .failure(let error) where error.code == .notOpen:
            break
        case .failure(let error):
            guard state.withLock({ $0.isNew(error.code) }) else { return }
            Log.log(
                error.code.isStorageFailure ? .error : .notice,
                .storage,
                "\(name): the files were not rewritten, which is tried again later: \(error.message)"
            )
        }
    }
}
