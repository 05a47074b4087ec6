internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol

extension Exchange {
    /// GET of `_node/_local/_prometheus`.
    func metrics() throws(CouchError) -> Answer {
        guard let kept = core.keptMetrics else { throw .notImplemented("This listener keeps no metrics.") }
        return Answer(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
            body: .bytes(ByteBuffer(string: kept.text))
        )
    }
}
