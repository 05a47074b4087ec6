internal import Dispatch

/// A closure that observes a database or document until `remove` is called or the listener is released. Keep it as long
/// as changes are wanted.
public final class ChangeListener: Sendable {
    private let observation: ChangeObservation

    init(
        _ observation: ChangeObservation,
        queue: DispatchQueue?,
        _ body: @escaping @Sendable (DatabaseChange) -> Void
    ) {
        self.observation = observation
        let queue = queue ?? DispatchQueue(label: "settee.listener")
        ListenerLoop(observation.subscription, queue, body).wait()
    }

    /// Ends the observation. A call of the closure in progress continues; no other begins after it. A second call does
    /// nothing.
    public func remove() { observation.subscription.end() }
}

/// Hands what a subscription gets to a closure, on a queue. The subscription holds it while it waits.
private final class ListenerLoop: Sendable {
    /// How often it takes from the subscription before other work of the queue has its turn.
    private static let turns = 100

    private let subscription: ChangeSubscription
    private let queue: DispatchQueue
    private let body: @Sendable (DatabaseChange) -> Void

    init(
        _ subscription: ChangeSubscription,
        _ queue: DispatchQueue,
        _ body: @escaping @Sendable (DatabaseChange) -> Void
    ) {
        self.subscription = subscription
        self.queue = queue
        self.body = body
    }

    func wait() {
        if let item = subscription.take(orLater: { self.arrived($0) }) { arrived(item) }
    }

    private func arrived(_ item: ChangeSubscription.Item) {
        queue.async { self.run(item) }
    }

    private func run(_ first: ChangeSubscription.Item) {
        var item = first
        for _ in 0..<ListenerLoop.turns {
            guard tell(item) else { return }
            guard let next = subscription.take() else { return wait() }
            item = next
        }
        arrived(item)
    }

    /// False at the end.
    private func tell(_ item: ChangeSubscription.Item) -> Bool {
        switch item {
        case .changes(let changes):
            for change in changes {
                if subscription.isRemoved { return false }
                body(.document(change))
            }
        case .missed(let since):
            if subscription.isRemoved { return false }
            body(.missed(since: since))
        case .end: return false
        }
        return true
    }
}
