internal import Dispatch
internal import Foundation
internal import SetteeStorageFiles
internal import StorageProtocol
internal import Synchronization

/// One rewrite of a database's files into the next generation, from its beginning to the switch.
///
/// One thread does the work; others can watch it, hurry it, wait for it or cancel it.
final class CompactionRun: Sendable {
    /// The state of the folder during the rewrite.
    private struct Work {
        let folder: DatabaseFolder
        let engine: any StorageEngine
        let staged: StagedGeneration
        let rewrite: any StorageRewrite
        /// The setup of the next generation.
        let setup: StorageSetup
    }

    /// The approximate duration of a step. A snapshot is open for that long, and pins what is written during it.
    private static let shortStep = Duration.milliseconds(10)
    private static let longStep = Duration.milliseconds(50)
    /// How long an automatic rewrite waits for a write transaction of another process.
    private static let patience = Duration.seconds(1)
    /// After so many steps, or this time, it checks whether another process, which would prevent the switch, has opened
    /// the database.
    private static let stepsBetweenLooks = 64
    private static let timeBetweenLooks = Duration.seconds(1)

    private let start = ContinuousClock.now
    /// The thread at work. The last reference to the database can only be released on it.
    private let worker = Locked(ThreadIdentity.current)
    private let work = Locked<Work?>(nil)
    private let progress = Locked<RewriteProgress?>(nil)
    private let outcome = Locked<Result<CompactionStatus.Rewrite, StorageError>?>(nil)
    private let isHurried: Atomic<Bool>
    private let isCancelled = Atomic(false)
    private let bytesBefore = Atomic<UInt64>(0)
    private let pause = DispatchSemaphore(value: 0)
    private let finished = Latch()

    init(isHurried: Bool) { self.isHurried = Atomic(isHurried) }

    // MARK: - For the working thread

    /// The calling thread does the work instead of the one that made the run.
    func startWorking() { worker.withLock { $0 = .current } }

    /// Makes the folder of the next generation and begins to copy.
    func begin(_ database: Database, space: DiskReserve) throws(StorageError) {
        guard let folder = database.folder else {
            throw StorageError(.unexpected, "Nothing on disk is to be rewritten.")
        }
        try database.requireNothingLost()
        try folder.requireAlone()
        let generation = try database.enter()
        defer { database.leave(generation) }
        let engine = generation.engine
        let figures = try engine.statistics()
        bytesBefore.store(figures.bytesOnDisk, ordering: .relaxed)
        try space.require(figures, isAsked: isHurried.load(ordering: .relaxed), at: folder.path)
        let staged = try folder.prepareGeneration()
        do throws(StorageError) {
            let directory = staged.dataDirectory
            let setup = try generation.setup.next()
            let rewrite =
                engine.capabilities.compaction == .inSteps
                ? try beginRewrite(database, engine, directory, setup.copyOptions)
                : WholeCopy(of: engine, to: directory, setup.copyOptions)
            work.withLock {
                $0 = Work(folder: folder, engine: engine, staged: staged, rewrite: rewrite, setup: setup)
            }
        } catch {
            staged.discard()
            throw error
        }
    }

    private func beginRewrite(
        _ database: Database,
        _ engine: any StorageEngine,
        _ directory: String,
        _ options: StorageCopyOptions
    ) throws(StorageError) -> any StorageRewrite {
        try betweenCommits(of: database) { () throws(StorageError) in
            try engine.beginRewrite(toDirectory: directory, options: options)
        }
    }

    /// Runs `body` while nothing is being written, in any process.
    ///
    /// - Throws: `busy` (423) if another process writes for longer than `patience`.
    func betweenCommits<R>(of database: Database, _ body: () throws(StorageError) -> R) throws(StorageError) -> R {
        try database.withoutWriters { () throws(StorageError) in
            let folder = database.folder
            try folder?.lockWriter(timeout: min(database.busyTimeout, CompactionRun.patience))
            defer { folder?.unlockWriter() }
            return try body()
        }
    }

    /// Copies until little is left, with pauses unless a thread waits for it.
    func copy(space: DiskReserve) throws(StorageError) {
        var lastLook = start
        for step in 1... {
            try requireGoingOn()
            guard let present = work.withLock({ $0 }) else { throw CompactionRun.cancelled }
            let hurried = isHurried.load(ordering: .relaxed)
            let before = ContinuousClock.now
            if step % CompactionRun.stepsBetweenLooks == 0 || before - lastLook > CompactionRun.timeBetweenLooks {
                try present.folder.requireAlone()
                lastLook = before
            }
            let state = try present.rewrite.step(limit: hurried ? CompactionRun.longStep : CompactionRun.shortStep)
            progress.withLock { $0 = state }
            if state.isComplete { return }
            guard !hurried else { continue }
            try space.requireRest(at: present.staged.dataDirectory)
            guard !state.isUrgent else { continue }
            // At most half of the time is spent working.
            _ = pause.wait(timeout: .now() + .nanoseconds(Int((ContinuousClock.now - before).nanoseconds)))
        }
    }

    /// Completes the copy and switches to it. Writers of this process wait during this.
    func switchOver(_ database: Database) throws(StorageError) {
        guard let folder = database.folder else { return }
        try database.withoutWriters { () throws(StorageError) in
            try requireGoingOn()
            guard let present = work.withLock({ $0 }) else { throw CompactionRun.cancelled }
            try folder.requireAlone()
            try folder.lockWriter(timeout: min(database.busyTimeout, CompactionRun.patience))
            defer { folder.unlockWriter() }
            try present.rewrite.finish()
            let old = present.engine
            let before = try old.counters()
            let next = try present.setup.openCopy(
                in: present.staged.dataDirectory,
                durability: database.durability
            )
            do throws(StorageError) {
                let copied = try next.counters()
                guard copied == before else {
                    throw StorageError(
                        .unexpected,
                        "The rewritten files do not hold what the old ones do; they were not taken."
                    )
                }
                var members = folder.manifest.members
                if let keys = present.setup.keys { try members.encrypt(with: keys) }
                let retired = try folder.switchTo(present.staged, members: members) {
                    () throws(StorageError) in
                    // No other process has the database open now, and none can open it.
                    guard try old.counters() == copied else { throw CompactionRun.overtaken }
                }
                work.withLock { $0 = nil }
                database.replaceEngine(by: next, present.setup) {
                    old.close()
                    // What cannot be deleted now is removed when the database is opened next.
                    try? retired.delete()
                }
            } catch {
                next.close()
                throw error
            }
            let bytes = (try? next.statistics().bytesOnDisk) ?? 0
            succeed(bytesAfter: bytes)
        }
        // Not while writers wait, because a log handler may write.
        Log.log(.debug, .storage, "\(database.name) has switched to '\(folder.dataDirectory)'")
    }

    private func succeed(bytesAfter: UInt64) {
        let result = CompactionStatus.Rewrite(
            finished: Date(),
            duration: ContinuousClock.now - start,
            bytesBefore: bytesBefore.load(ordering: .relaxed),
            bytesAfter: bytesAfter
        )
        outcome.withLock { $0 = .success(result) }
    }

    /// Removes what is left of the run, and records how it ended.
    func settle(_ failure: StorageError?) -> Result<CompactionStatus.Rewrite, StorageError> {
        abandon()
        return outcome.withLock { outcome in
            let result = outcome ?? .failure(failure ?? CompactionRun.cancelled)
            outcome = result
            return result
        }
    }

    /// Wakes the threads that wait for the end.
    func release() { finished.open() }

    private func requireGoingOn() throws(StorageError) {
        if isCancelled.load(ordering: .acquiring) { throw CompactionRun.cancelled }
    }

    /// Removes what was begun and not used.
    private func abandon() {
        let left = work.withLock { $0.take() }
        guard let left else { return }
        left.rewrite.cancel()
        left.staged.discard()
    }

    // MARK: - For other threads

    /// Makes it continue without pauses.
    func hurry() {
        isHurried.store(true, ordering: .relaxed)
        pause.signal()
    }

    /// Waits for the end.
    func wait() -> Result<CompactionStatus.Rewrite, StorageError> {
        finished.wait()
        return outcome.withLock { $0 } ?? .failure(CompactionRun.cancelled)
    }

    /// Stops it at its next step and waits for that. On the working thread itself, where the last reference to the
    /// database was released, it does not wait.
    func cancel() {
        isCancelled.store(true, ordering: .releasing)
        pause.signal()
        if worker.withLock({ $0 == .current }) { abandon() } else { finished.wait() }
    }

    /// The part that is copied, from 0 to 1.
    var share: Double {
        guard let progress = progress.withLock({ $0 }), progress.total > 0 else { return 0 }
        return Double(progress.done) / Double(progress.total)
    }

    static let cancelled = StorageError(.notOpen, "The database was closed while its files were being rewritten.")
    /// It is a conflict so that a request that has joined the run begins one of its own.
    static let notDue = StorageError(.conflict, "The files need not be rewritten.")
    static let overtaken = StorageError(
        .conflict,
        "The database was written to by another program while its files were being rewritten."
    )
}

extension Duration {
    /// In nanoseconds, not below 0.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : max(0, whole &+ attoseconds / 1_000_000_000)
    }
}
