internal import CoreMetrics
internal import Synchronization

/// What a server has done and is doing, counted since it was made. Readable at any time, from any thread; the figures
/// are not read at one instant.
final class ServerFigures: Sendable {
    private let openCount = Atomic(0)
    private let totalCount = Atomic(0)
    private let refusedCount = Atomic(0)
    private let requestCount = Atomic(0)
    private let inCount = Atomic(0)
    private let outCount = Atomic(0)
    private let metrics: ListenerMetrics

    init(metrics: ListenerMetrics = ListenerMetrics()) { self.metrics = metrics }

    /// Connections that are open, those that are being refused included.
    var connections: Int { openCount.load(ordering: .relaxed) }
    /// Connections that were accepted, those that were refused included.
    var totalConnections: Int { totalCount.load(ordering: .relaxed) }
    /// Connections that were refused since there were too many.
    var refusedConnections: Int { refusedCount.load(ordering: .relaxed) }
    /// Requests that were handed to the handler.
    var requests: Int { requestCount.load(ordering: .relaxed) }
    /// Bytes of HTTP received, without TLS.
    var bytesIn: Int { inCount.load(ordering: .relaxed) }
    /// Bytes of HTTP that were written, without TLS. Some may not have been sent.
    var bytesOut: Int { outCount.load(ordering: .relaxed) }

    /// Counts a connection and returns how many are open with it.
    func opened() -> Int {
        totalCount.add(1, ordering: .relaxed)
        metrics.connections.increment()
        return openCount.add(1, ordering: .relaxed).newValue
    }

    func closed() {
        openCount.subtract(1, ordering: .relaxed)
        metrics.connections.decrement()
    }

    func refused() {
        refusedCount.add(1, ordering: .relaxed)
        metrics.refused(.connections)
    }

    func requested() { requestCount.add(1, ordering: .relaxed) }

    /// Counts a request that was answered without a handler.
    func refusedRequest() { metrics.refused(.requests) }

    func received(_ bytes: Int) {
        inCount.add(bytes, ordering: .relaxed)
        metrics.bytesIn.increment(by: bytes)
    }

    func sent(_ bytes: Int) {
        outCount.add(bytes, ordering: .relaxed)
        metrics.bytesOut.increment(by: bytes)
    }
}
