internal import StorageProtocol

/// Those who observe a database: all of it, or one document.
struct ChangeSubscribers: Sendable {
    private var ofDatabase: [ChangeSubscription] = []
    private var ofDocument: [DocumentID: [ChangeSubscription]] = [:]

    var isEmpty: Bool { ofDatabase.isEmpty && ofDocument.isEmpty }

    /// The largest buffer of any.
    var largestLimit: Int { reduce(0) { max($0, $1.limit) } }

    /// Whether none takes changes now: each will read from the store, or was told to.
    var areAllBehind: Bool { reduce(true) { $0 && $1.isBehind } }

    mutating func add(_ subscription: ChangeSubscription) {
        if let id = subscription.documentID {
            ofDocument[id, default: []].append(subscription)
        } else {
            ofDatabase.append(subscription)
        }
    }

    mutating func remove(_ subscription: ChangeSubscription) {
        if let id = subscription.documentID {
            ofDocument[id]?.removeAll { $0 === subscription }
            if ofDocument[id]?.isEmpty ?? false { ofDocument[id] = nil }
        } else {
            ofDatabase.removeAll { $0 === subscription }
        }
    }

    func forEach(_ body: (ChangeSubscription) -> Void) {
        ofDatabase.forEach(body)
        for subscriptions in ofDocument.values { subscriptions.forEach(body) }
    }

    private func reduce<R>(_ first: R, _ next: (R, ChangeSubscription) -> R) -> R {
        var result = first
        forEach { result = next(result, $0) }
        return result
    }

    /// Hands changes to all whom they concern.
    func tell(_ changes: [DocumentChange]) {
        guard !changes.isEmpty else { return }
        for subscription in ofDatabase { subscription.receive(changes[...]) }
        guard !ofDocument.isEmpty else { return }
        for change in changes {
            ofDocument[change.documentID]?.forEach { $0.receive([change]) }
        }
    }

    /// Tells those who want to know it that a view or an index may have changed.
    func tellViewChanges() {
        for subscription in ofDatabase where subscription.wantsViewChanges { subscription.wake() }
    }

    /// Tells all that changes are left out.
    func tellMissed(_ sequences: ClosedRange<UInt64>) {
        forEach { $0.miss(sequences) }
    }
}
