internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// One direction of a run: stages that hand rows, wishes and revisions on to each other.
final class Transfer: Sendable {
    let source: any Peer
    let target: any Peer
    let plan: TransferPlan
    let monitor: ReplicationMonitor
    let failures: FailedDocuments
    /// Resolves conflicts that written revisions make; nil: they stay.
    let conflicts: ConflictHandler?
    let keeper: CheckpointKeeper?
    /// Where failures are kept for later runs.
    let kept: KeptFailures

    let rows: StageQueue<FeedRow>
    let wishes: StageQueue<FetchItem>
    let arrived: StageQueue<ArrivedRevision>
    /// Says that a checkpoint may be due.
    let nudges = StageQueue<Bool>(capacity: 1)
    let budget: ByteBudget
    let state: Locked<State>

    /// A row that is not done, and of which something is passed on or refused.
    struct OpenRow {
        var document: ChangedDocument
        var isWritten = false
        var error: ReplicationError?
    }

    struct State {
        var prefix = DonePrefix()
        var open: [Int: OpenRow] = [:]
        var figures = TransferFigures()
        var sizes: Sizes
        /// Whether the feed waits for changes to come.
        var isWaiting = false
        /// Rows that are done and not told yet.
        var completed = 0
        var lastCheckpoint = ContinuousClock.now
        /// What the source and the target were at the beginning, and when that was compared last.
        var identities: [String] = []
        var lastComparison = ContinuousClock.now
        /// Whether that is due, whenever it was.
        var isDoubtful = false
        /// How often a side could not be reached when it was compared.
        var breaks = 0
        /// Whether a checkpoint was written since.
        var isUnproven = false
        /// The highest sequences of both that were seen.
        var sequences: [Int64] = [0, 0]

        mutating func note(_ sequence: JSONValue, ofSide place: Int) {
            if let number = sequence.sequenceNumber { sequences[place] = max(sequences[place], number) }
        }
    }

    struct Sizes {
        var feed: AdaptiveSize
        var diff: AdaptiveSize
        var fetch: AdaptiveSize
        var write: AdaptiveSize
    }

    init(
        from source: any Peer,
        to target: any Peer,
        _ plan: TransferPlan,
        monitor: ReplicationMonitor,
        failures: FailedDocuments,
        conflicts: ConflictHandler?,
        keeper: CheckpointKeeper?,
        kept: KeptFailures
    ) {
        self.source = source
        self.target = target
        self.plan = plan
        self.monitor = monitor
        self.failures = failures
        self.conflicts = conflicts
        self.keeper = keeper
        self.kept = kept
        let limits = plan.limits
        rows = StageQueue(capacity: limits.diffRows)
        wishes = StageQueue(capacity: limits.diffRows)
        arrived = StageQueue(capacity: limits.writeRevisions)
        budget = ByteBudget(limits.bytesInFlight)
        let sizes = Sizes(
            feed: AdaptiveSize(limits.feedRows, from: limits.firstFeedRows, slow: limits.slowRequest),
            diff: AdaptiveSize(limits.diffRows, slow: limits.slowRequest),
            fetch: AdaptiveSize(limits.fetchDocuments, slow: limits.slowRequest),
            write: AdaptiveSize(limits.writeRevisions, slow: limits.slowRequest)
        )
        state = Locked(State(sizes: sizes))
    }

    /// Passes on what changes from the checkpoint on.
    ///
    /// - Throws: `PeerError` and `ReplicationError`; `PeerChanged` if a side is another database now;
    ///   `CancellationError`.
    func run() async throws {
        async let first = source.information()
        async let second = target.information()
        let (ofSource, ofTarget) = (try await first, try await second)
        let breaks = source.breaks + target.breaks
        state.withLock { state in
            state.identities = [ofSource.identity, ofTarget.identity]
            state.breaks = breaks
            state.note(ofSource.lastSequence, ofSide: 0)
            state.note(ofTarget.lastSequence, ofSide: 1)
        }
        let start = try await keeper?.load(ofSource, ofTarget, resets: plan.resetsCheckpoint)
        log(.info, "begins \(start.loggedSequence)")
        // A bare nil would become JSON's null.
        let end: JSONValue? = plan.isContinuous ? JSONValue?.none : ofSource.lastSequence
        try await run { transfer in try await transfer.feed(from: start, through: end) }
    }

    /// Tries again to pass on documents that failed.
    func run(_ failed: [FailedDocuments.Failure]) async throws {
        log(.info, "tries \(failed.count) documents again")
        try await run { transfer in try await transfer.feed(failed) }
    }

    private func run(_ feed: @escaping @Sendable (Transfer) async throws -> Void) async throws {
        let began = ContinuousClock.now
        let outcome: Result<Void, any Error>
        do {
            try await withTaskCancellationHandler {
                try await runStages(feed)
            } onCancel: {
                abort()
            }
            outcome = .success(())
        } catch {
            abort()
            outcome = .failure(error)
        }
        var failure: (any Error)?
        // What is done was done with another database.
        if case .failure(_ as PeerChanged) = outcome {} else { failure = await lastCheckpoint() }
        if let failure { log(.notice, "the last checkpoint was not written (\(ReplicationError.logged(failure)))") }
        logEnd(outcome, after: ContinuousClock.now - began)
        try outcome.get()
        if let failure = failure as? PeerChanged { throw failure }
    }

    /// What a push ends with of which every document was refused; nil for others. A caller that pushes once would not
    /// notice otherwise that nothing has arrived.
    var refusal: ReplicationError? {
        guard plan.direction == .push, !plan.isContinuous else { return nil }
        let figures = state.withLock { $0.figures }
        guard figures.written == 0, let first = figures.firstFailure else { return nil }
        return ReplicationError(
            .allRefused,
            status: first.status,
            "Every document of the push was refused, the first one with: \(first.message)"
        )
    }

    private func runStages(_ feed: @escaping @Sendable (Transfer) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                try await feed(self)
                rows.finish()
            }
            let limits = plan.limits
            add(limits.diffs, of: target, to: &group, { try await $0.diffRows() }, last: { $0.wishes.finish() })
            add(
                limits.fetches,
                of: source,
                to: &group,
                { try await $0.fetchRevisions() },
                last: { $0.arrived.finish() }
            )
            add(limits.writes, of: target, to: &group, { try await $0.writeRevisions() }, last: { $0.nudges.finish() })
            group.addTask { [self] in try await writeCheckpoints() }
            do {
                while try await group.next() != nil {}
            } catch {
                abort()
                group.cancelAll()
                throw Task.isCancelled ? CancellationError() : error
            }
        }
    }

    /// Adds the tasks of a stage. A group of their own would end only when all of them have: where one fails, the
    /// others would wait on for what is to come.
    ///
    /// - Parameters:
    ///   - peer: whom they ask.
    ///   - last: what is done when the last one has ended.
    private func add(
        _ most: Int,
        of peer: any Peer,
        to group: inout ThrowingTaskGroup<Void, any Error>,
        _ work: @escaping @Sendable (Transfer) async throws -> Void,
        last: @escaping @Sendable (Transfer) -> Void
    ) {
        let count = peer is LocalPeer ? min(most, plan.limits.localCalls) : most
        let left = Countdown(count)
        for _ in 0..<count {
            group.addTask { [self] in
                try await work(self)
                if left.isLast() { last(self) }
            }
        }
    }

    private func abort() {
        rows.abort()
        wishes.abort()
        arrived.abort()
        nudges.abort()
        budget.abort()
    }
}

/// How many tasks of a stage have not ended.
private final class Countdown: Sendable {
    private let left: Locked<Int>

    init(_ count: Int) { left = Locked(count) }

    /// A task has ended: whether it was the last.
    func isLast() -> Bool {
        left.withLock { left in
            left -= 1
            return left == 0
        }
    }
}

extension JSONValue {
    /// A sequence, or the number that a text begins with, as those of CouchDB do.
    var sequenceNumber: Int64? {
        if let number = intValue { return number }
        return stringValue.flatMap { Int64($0.prefix { $0 != "-" }) }
    }
}
