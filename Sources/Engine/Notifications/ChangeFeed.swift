internal import Dispatch
internal import StorageProtocol
internal import Synchronization

/// Notifies the observers of a database of commits, in the order of sequences, each commit once.
///
/// Writers pass on their commits and continue. All else happens on the feed's own queue, outside every lock of the
/// database: commits of other processes are read from the store, and each observer gets its part of one shared array.
/// If there are no observers, a write costs one relaxed load of a flag.
final class ChangeFeed: Sendable {
    /// How many changes are read from the store at once.
    static let pageSize = 500

    let queue = DispatchQueue(label: "settee.changes")
    private let observed = Atomic<Bool>(false)
    private let limit = Atomic<Int>(0)
    let state = Locked(State())

    struct State {
        var reference: DatabaseReference?
        var subscribers = ChangeSubscribers()
        /// Observers that are about to begin.
        var arriving = 0
        /// Commits up to this sequence have been passed on, or are being passed on; nil if that is not known yet.
        var position: UInt64?
        /// Commits of this process that the queue has not processed yet, in order.
        var pending = WaitingList<CommittedChanges>()
        var pendingCount = 0
        /// The sequences that this process is about to commit.
        var inFlight: ClosedRange<UInt64>?
        var isDraining = false
        var others = OtherProcesses()
        var isClosed = false

        /// Never released under the lock, because it may be the last reference.
        var database: Database? { reference?.database }
        var isObserved: Bool { arriving > 0 || !subscribers.isEmpty }
    }

    /// Sets the database of the feed, once. The feed does not keep it alive.
    func attach(_ reference: DatabaseReference) { state.withLock { $0.reference = reference } }

    /// Whether there are observers.
    var isObserved: Bool { observed.load(ordering: .relaxed) }

    /// No observer takes more changes at once.
    var largestLimit: Int { limit.load(ordering: .relaxed) }

    // MARK: - Observers

    /// Begins an observation with the next commit, or after an earlier sequence.
    func subscribe(
        following start: UInt64?,
        documentID: DocumentID? = nil,
        limit: Int,
        wantsViewChanges: Bool = false
    ) -> ChangeObservation {
        let subscription = ChangeSubscription(
            self,
            documentID: documentID,
            limit: limit,
            wantsViewChanges: wantsViewChanges
        )
        // From here on writers collect what they change, so no commit is lost between reading the sequence and
        // beginning.
        let database = state.withLock { state in
            state.arriving += 1
            observed.store(true, ordering: .sequentiallyConsistent)
            self.limit.max(subscription.limit, ordering: .relaxed)
            return state.isClosed ? nil : state.database
        }
        let present = Result { () throws(StorageError) in try database?.committedSequences() }
        let mustPoll = state.withLock { state -> Bool in
            state.arriving -= 1
            defer { noteObservers(&state) }
            guard !state.isClosed, let database else {
                subscription.finish()
                return false
            }
            switch present {
            case .success(let sequences):
                let told = max(state.position ?? 0, sequences?.store ?? 0)
                let wanted = start ?? sequences?.snapshot ?? told
                if state.position == nil { state.position = told }
                subscription.begin(after: wanted, isCatchingUp: wanted < told)
            case .failure:
                // The position at which it begins is not known, so the observer must read everything again.
                subscription.miss(1...UInt64.max)
            }
            state.subscribers.add(subscription)
            guard database.folder != nil, !state.others.isPolling else { return false }
            state.others.isPolling = true
            return true
        }
        // Commits that came in the meantime wait for the position.
        queue.async { self.drain() }
        if mustPoll { watchOtherProcesses() }
        return ChangeObservation(subscription)
    }

    func remove(_ subscription: ChangeSubscription) {
        state.withLock { state in
            state.subscribers.remove(subscription)
            noteObservers(&state)
        }
    }

    private func noteObservers(_ state: inout State) {
        limit.store(state.subscribers.largestLimit, ordering: .relaxed)
        guard !state.isObserved else { return }
        observed.store(false, ordering: .sequentiallyConsistent)
        state.position = nil
        state.pending = WaitingList()
        state.pendingCount = 0
    }

    /// Ends all observations after the last commit. Called when nothing can be written any more.
    func close() {
        state.withLock { $0.isClosed = true }
        guard observed.load(ordering: .sequentiallyConsistent) else { return }
        queue.async {
            self.drain()
            let subscribers = self.state.withLock { state in
                defer {
                    state.subscribers = ChangeSubscribers()
                    self.noteObservers(&state)
                }
                return state.subscribers
            }
            subscribers.forEach { $0.finish() }
        }
    }

    // MARK: - Writers, one at a time

    /// Notes what is about to be committed, so that it is not mistaken for a commit of another process.
    ///
    /// - Returns: Whether `didCommit` or `didNotCommit` must be called.
    func willCommit(_ commit: CommittedChanges?) -> Bool {
        guard let commit, isObserved else { return false }
        state.withLock { $0.inFlight = commit.sequences }
        return true
    }

    func didNotCommit() { state.withLock { $0.inFlight = nil } }

    /// Passes on what was committed.
    ///
    /// - Parameter isAnnounced: The result of `willCommit`.
    func didCommit(_ commit: CommittedChanges?, isAnnounced: Bool) {
        // An observation that began after `willCommit` either sees this commit in the store, or is seen here.
        guard let commit, isAnnounced || observed.load(ordering: .sequentiallyConsistent) else { return }
        let mustDrain = state.withLock { state -> Bool in
            state.inFlight = nil
            guard state.isObserved else { return false }
            append(commit, to: &state)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if mustDrain { queue.async { self.drain() } }
    }

    /// If the queue is far behind, only the sequences of the changes are kept.
    private func append(_ commit: CommittedChanges, to state: inout State) {
        var commit = commit
        if state.pendingCount + commit.count > max(largestLimit, ChangeFeed.pageSize) { commit.content = .tooMany }
        if commit.isTooMany, let last = state.pending.last, last.isTooMany,
            last.sequences.upperBound + 1 == commit.sequences.lowerBound
        {
            commit.sequences = last.sequences.lowerBound...commit.sequences.upperBound
            state.pending.replaceLast(by: commit)
        } else {
            state.pending.append(commit)
            state.pendingCount += commit.count
        }
    }

    /// Notes that a view or an index may have changed, which takes no sequence. Called from any thread.
    func didChangeViews() {
        guard isObserved else { return }
        queue.async { self.tellViewChanges() }
    }

    // MARK: - On the queue

    func tellViewChanges() {
        state.withLock { $0.subscribers }.tellViewChanges()
    }

    /// Passes on what is waiting.
    func drain() {
        while let step = nextStep() {
            if let gap = step.gap { tellStored(gap, to: step.subscribers, isExternal: true) }
            guard let commit = step.commit else { continue }
            switch commit.content {
            case .changes(let changes): step.subscribers.tell(changes)
            case .stored: tellStored(commit.sequences, to: step.subscribers, isExternal: false)
            case .tooMany: step.subscribers.tellMissed(commit.sequences)
            }
        }
    }

    struct Step {
        /// What other processes committed before.
        var gap: ClosedRange<UInt64>?
        var commit: CommittedChanges?
        var subscribers: ChangeSubscribers
    }

    private func nextStep() -> Step? {
        state.withLock { state in
            guard !state.subscribers.isEmpty, let commit = state.pending.popFirst() else {
                state.isDraining = false
                return nil
            }
            state.pendingCount -= commit.count
            let (first, last) = (commit.sequences.lowerBound, commit.sequences.upperBound)
            let position = state.position ?? first - 1
            // An observer has already seen this in the store when it began.
            guard last > position else { return Step(subscribers: state.subscribers) }
            state.position = last
            return Step(
                gap: first > position + 1 ? position + 1...first - 1 : nil,
                commit: commit,
                subscribers: state.subscribers
            )
        }
    }

    /// Reads changes from the store and passes them on.
    func tellStored(_ range: ClosedRange<UInt64>, to subscribers: ChangeSubscribers, isExternal: Bool) {
        if isExternal { Log.log(.debug, .change, "another process has taken the sequences \(range)") }
        var told = range.lowerBound - 1
        while told < range.upperBound {
            // Observers that are behind read the changes themselves.
            if subscribers.areAllBehind { return }
            guard
                let page = readStored(
                    after: told,
                    through: range.upperBound,
                    maximum: ChangeFeed.pageSize,
                    isExternal: isExternal
                )
            else { return subscribers.tellMissed(told + 1...range.upperBound) }
            if page.mayLackPurges {
                subscribers.tellMissed(told + 1...page.covered)
            } else {
                subscribers.tell(page.changes)
            }
            told = page.covered
        }
    }

    /// Nil if the store cannot be read.
    private func readStored(after: UInt64, through: UInt64?, maximum: Int, isExternal: Bool) -> StoredChanges? {
        guard let database = state.withLock({ $0.database }) else { return nil }
        return try? database.withReadTransaction { (transaction) throws(StorageError) in
            try StoredChanges(transaction, after: after, through: through, maximum: maximum, isExternal: isExternal)
        }
    }

    /// Reads the next page for an observer that is catching up. Called from any thread.
    func readPage(for subscription: ChangeSubscription) {
        queue.async {
            // What is passed on after this comes after the end of the page.
            self.drain()
            guard let start = subscription.pageStart else { return }
            let maximum = min(ChangeFeed.pageSize, subscription.limit)
            if let page = self.readStored(after: start, through: nil, maximum: maximum, isExternal: false) {
                subscription.receive(page)
            } else {
                subscription.receiveNoPage()
            }
        }
    }
}
