internal import CoreMetrics
internal import HTTPTypes
internal import StorageProtocol

/// What a listener reports to swift-metrics. docs/guide/listener.md names them.
///
/// Labels have few values each: kinds of routes, methods, classes of statuses. Names of databases are none of them:
/// clients choose them, so that they would be without number, and they may be confidential.
final class ListenerMetrics: Sendable {
    /// Why something was refused.
    enum Refusal: String, CaseIterable {
        /// Too many connections.
        case connections
        /// What is no request, is too large, or came too slowly: the server's own answers.
        case requests
        /// Too many calls of the database wait.
        case calls
        /// Too many writes wait for one database.
        case writes
        case feeds
    }

    /// What requests are counted by.
    struct Kind: Hashable {
        var route: String
        var method: String
        var statusClass: Int
    }

    private let factory: any MetricsFactory
    private let requests: Locked<[Kind: (count: Counter, duration: Timer)]> = Locked([:])
    private let refusals: [Refusal: Counter]
    let connections: Meter
    let feeds: Meter
    let bytesIn: Counter
    let bytesOut: Counter
    /// From a write's arrival at its lane to the begin of its transaction.
    let laneWait: Timer
    /// How many single writes a commit has.
    let commitWrites: Recorder

    /// - Parameter factory: Where the metrics go; nil: to the one that the program has chosen for all.
    init(_ factory: (any MetricsFactory)? = nil) {
        let factory = factory ?? MetricsSystem.factory
        self.factory = factory
        refusals = Dictionary(
            uniqueKeysWithValues: Refusal.allCases.map { reason in
                let dimensions = [("reason", reason.rawValue)]
                return (reason, Counter(label: "settee_listener_refused", dimensions: dimensions, factory: factory))
            }
        )
        connections = Meter(label: "settee_listener_connections", factory: factory)
        feeds = Meter(label: "settee_listener_feeds", factory: factory)
        bytesIn = Counter(label: "settee_listener_received_bytes", factory: factory)
        bytesOut = Counter(label: "settee_listener_sent_bytes", factory: factory)
        laneWait = Timer(label: "settee_listener_lane_wait", factory: factory)
        commitWrites = Recorder(label: "settee_listener_commit_writes", factory: factory)
    }

    func refused(_ reason: Refusal) { refusals[reason]?.increment() }

    /// Counts an answer. The time to the end of its body is recorded when that is written.
    func counted(
        _ answer: Answer,
        to method: HTTPRequest.Method,
        of route: String,
        since began: ContinuousClock.Instant
    ) -> Answer {
        let kind = Kind(
            route: route,
            method: ListenerMetrics.methods.contains(method) ? method.rawValue : "OTHER",
            statusClass: answer.status.code / 100
        )
        let (count, duration) = requests.withLock { known in
            if let found = known[kind] { return found }
            let made = make(kind)
            known[kind] = made
            return made
        }
        count.increment()
        // How long a feed lasts says nothing about the server.
        if answer.isFeed { return answer }
        return answer.whenWritten(to: method) { duration.record(duration: .now - began) }
    }

    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .delete, .options, .copy]

    private func make(_ kind: Kind) -> (count: Counter, duration: Timer) {
        var dimensions = [("route", kind.route), ("method", kind.method)]
        let duration = Timer(label: "settee_listener_request_duration", dimensions: dimensions, factory: factory)
        dimensions.append(("status", "\(kind.statusClass)xx"))
        return (Counter(label: "settee_listener_requests", dimensions: dimensions, factory: factory), duration)
    }
}

extension Timer {
    func record(duration: Duration) {
        let (seconds, attoseconds) = duration.components
        recordNanoseconds(seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
    }
}
