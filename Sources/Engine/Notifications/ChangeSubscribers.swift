internal import StorageProtocol

/// The observers of a database: of the whole database, or of one document.
struct ChangeSubscribers: Sendable {
    private var ofDatabase: [ChangeSubscription] = []
    private var ofDocument: [DocumentID: [ChangeSubscription]] = [:]

    var isEmpty: Bool { ofDatabase.isEmpty && ofDocument.isEmpty }

    /// The largest buffer of all observers.
    var largestLimit: Int { reduce(0) { max($0, $1.limit) } }

    /// Whether no observer takes changes now, because each will read from the store, or was notified to do so.
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

    /// Passes changes to all observers concerned.
    func tell(_ changes: [DocumentChange]) {
        guard !changes.isEmpty else { return }
        for subscription in ofDatabase { subscription.receive(changes[...]) }
        guard !ofDocument.isEmpty else { return }
        for change in changes {
            ofDocument[change.documentID]?.forEach { $0.receive([change]) }
        }
    }

    /// Notifies the observers of view changes that a view or an index may have changed.
    func tellViewChanges() {
        for subscription in ofDatabase where subscription.wantsViewChanges { subscription.wake() }
    }

    /// Notifies all observers that changes are left out.
    func tellMissed(_ sequences: ClosedRange<UInt64>) {
        forEach { $0.miss(sequences) }
    }
}
