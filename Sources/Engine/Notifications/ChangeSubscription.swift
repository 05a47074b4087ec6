internal import StorageProtocol
internal import Synchronization

/// The subscription of one observer: the changes that wait for it, or the observer's continuation if it waits for them.
///
/// The feed adds on its own queue; the observer takes on any thread. Neither waits for the other.
package final class ChangeSubscription: Sendable {
    /// What an observer receives at once.
    package enum Item: Sendable {
        case changes(ArraySlice<DocumentChange>)
        case missed(since: UInt64)
        /// Nothing more follows.
        case end
    }

    /// The only document that is observed; nil: all.
    let documentID: DocumentID?
    /// The maximum number of waiting changes.
    let limit: Int
    /// Whether it is also notified of changes of views.
    let wantsViewChanges: Bool
    private let feed: ChangeFeed
    private let removed = Atomic<Bool>(false)
    private let state: Locked<State>

    fileprivate struct State {
        var buffer = ChangeBuffer()
        /// Changes up to this sequence do not concern the observer, or it has received them.
        var after: UInt64 = 0
        /// Whether changes after `after` are read from the store, page by page, as the observer takes them.
        var isCatchingUp = false
        /// Whether a page is being read.
        var isReading = false
        /// The observer must be notified that it missed the changes after this sequence. Until then it misses all
        /// changes.
        var missedSince: UInt64?
        /// Whether it has ended, so that nothing is added any more.
        var isEnded = false
        var waiter: (@Sendable (Item) -> Void)?
    }

    init(_ feed: ChangeFeed, documentID: DocumentID?, limit: Int, wantsViewChanges: Bool = false) {
        self.feed = feed
        self.wantsViewChanges = wantsViewChanges
        self.documentID = documentID
        self.limit = max(1, limit)
        state = Locked(State())
    }

    // MARK: - For the observer

    /// Returns what is waiting, nil if nothing is.
    package func take() -> Item? { state.withLock { $0.take() } }

    /// Returns what is waiting. If nothing is, returns nil, and `waiter` is called once with the next item.
    package func take(orLater waiter: @escaping @Sendable (Item) -> Void) -> Item? {
        let (item, mustRead) = state.withLock { state -> (Item?, Bool) in
            if let item = state.take() { return (item, false) }
            // An iterator is used by one task. The wait of a second task ends at once.
            if state.waiter != nil { return (.end, false) }
            state.waiter = waiter
            return (nil, state.beginsToRead())
        }
        if mustRead { feed.readPage(for: self) }
        return item
    }

    /// Ends it for the observer; waiting changes are dropped.
    package func end() {
        removed.store(true, ordering: .releasing)
        let waiter = state.withLock { state in
            state.isEnded = true
            state.buffer.removeAll()
            state.missedSince = nil
            return state.waiter.take()
        }
        waiter?(.end)
        feed.remove(self)
    }

    /// Whether the observer has ended it.
    var isRemoved: Bool { removed.load(ordering: .acquiring) }

    // MARK: - For the feed

    /// Sets where it begins, before it is added to the feed.
    func begin(after sequence: UInt64, isCatchingUp: Bool) {
        state.withLock { state in
            state.after = sequence
            state.isCatchingUp = isCatchingUp
        }
    }

    /// Whether it does not take changes now.
    var isBehind: Bool { state.withLock { !$0.takesChanges } }

    /// Adds changes, in the order of sequences, or counts them as missed.
    func receive(_ changes: ArraySlice<DocumentChange>) {
        update { state in
            guard state.takesChanges else { return }
            var changes = changes
            if let first = changes.first, first.sequence <= state.after {
                changes = changes.drop { $0.sequence <= state.after }
            }
            guard let first = changes.first else { return }
            if state.buffer.count + changes.count > limit {
                state.miss(after: first.sequence - 1)
            } else {
                state.buffer.append(changes)
            }
        }
    }

    /// Counts changes as missed.
    func miss(_ sequences: ClosedRange<UInt64>) {
        update { state in
            guard state.takesChanges, sequences.upperBound > state.after else { return }
            state.miss(after: max(sequences.lowerBound - 1, state.after))
        }
    }

    /// Makes the observer read again, as if it had missed something.
    package func wake() {
        update { state in
            if state.takesChanges { state.miss(after: state.after) }
        }
    }

    /// Where the next page from the store begins; nil if none is needed any more.
    var pageStart: UInt64? { state.withLock { $0.isCatchingUp && !$0.isEnded ? $0.after : nil } }

    /// Adds a page from the store.
    func receive(_ page: StoredChanges) {
        let wanted = documentID.map { id in page.changes.filter { $0.documentID == id } } ?? page.changes
        update { state in
            state.isReading = false
            guard state.isCatchingUp, !state.isEnded else { return }
            state.after = page.covered
            state.isCatchingUp = !page.isEnd
            if !wanted.isEmpty { state.buffer.append(wanted[...]) }
        }
    }

    /// Notes that the store could not be read.
    func receiveNoPage() {
        update { state in
            state.isReading = false
            guard state.isCatchingUp, !state.isEnded else { return }
            state.isCatchingUp = false
            state.miss(after: state.after)
        }
    }

    /// Ends it for the database, after what is waiting.
    func finish() {
        update { state in
            state.isEnded = true
            state.isCatchingUp = false
        }
    }

    /// Changes the state, and then passes what is available to a waiting observer.
    private func update(_ change: (inout State) -> Void) {
        let (delivery, mustRead) = state.withLock { state -> ((waiter: @Sendable (Item) -> Void, item: Item)?, Bool) in
            change(&state)
            guard state.waiter != nil else { return (nil, false) }
            guard let item = state.take() else { return (nil, state.beginsToRead()) }
            return (state.waiter.take().map { ($0, item) }, false)
        }
        if let delivery { delivery.waiter(delivery.item) }
        if mustRead { feed.readPage(for: self) }
    }
}

extension ChangeSubscription.State {
    fileprivate var takesChanges: Bool { !isEnded && !isCatchingUp && missedSince == nil }

    fileprivate mutating func take() -> ChangeSubscription.Item? {
        if let since = missedSince.take() { return .missed(since: since) }
        if let changes = buffer.popFirst() { return .changes(changes) }
        return isEnded ? .end : nil
    }

    /// Whether a page must be read now.
    fileprivate mutating func beginsToRead() -> Bool {
        guard isCatchingUp, !isReading else { return false }
        isReading = true
        return true
    }

    /// Replaces what is waiting by one element that reports changes as missed.
    fileprivate mutating func miss(after sequence: UInt64) {
        missedSince = buffer.firstSequence.map { $0 - 1 } ?? sequence
        buffer.removeAll()
    }
}

/// Holds a subscription as long as an observer can take from it.
package final class ChangeObservation: Sendable {
    package let subscription: ChangeSubscription

    init(_ subscription: ChangeSubscription) { self.subscription = subscription }

    deinit { subscription.end() }
}
