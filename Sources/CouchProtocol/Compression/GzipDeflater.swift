internal import CSetteeZlib

/// Compresses a body that arrives in pieces, to gzip (RFC 1952) or zlib's format (RFC 1950).
///
/// It belongs to one thread at a time. gzip's header has no time, so that equal content gives equal bytes with the same
/// version of zlib.
public final class GzipDeflater {
    private let stream: ZlibStream
    private var isFinished = false

    /// - Parameter level: From 1, the fastest, to 9, the smallest.
    /// - Throws: `service_unavailable` (503) if there is no memory; `bad_request` (400) for another level.
    public init(_ format: CompressionFormat, level: Int = 6) throws(CouchError) {
        guard 1...9 ~= level else { throw .badRequest("The level of compression is a number from 1 to 9.") }
        stream = try ZlibStream(.deflate(level: Int32(level)), format)
    }

    /// Compresses the next bytes, and passes on in pieces what is ready. The pieces are lent for the call.
    ///
    /// - Throws: What `body` throws, after which no more can be compressed.
    public func push(_ bytes: RawSpan, _ body: (RawSpan) throws(CouchError) -> Void) throws(CouchError) {
        try run(bytes, isLast: false, body)
    }

    /// Writes the end. Calls after it do nothing.
    ///
    /// - Throws: What `body` throws.
    public func finish(_ body: (RawSpan) throws(CouchError) -> Void) throws(CouchError) {
        try run(RawSpan(), isLast: true, body)
    }

    private func run(
        _ bytes: RawSpan,
        isLast: Bool,
        _ body: (RawSpan) throws(CouchError) -> Void
    ) throws(CouchError) {
        guard !isFinished else { return }
        // Also if `body` throws: what it did not take is lost.
        isFinished = true
        var place = 0
        while true {
            let step = stream.step(bytes, from: place, isLast: isLast)
            place += step.taken
            if step.made > 0 { try stream.withOutput(step.made, body) }
            // Output that found no room comes with the next step, at the latest with the end.
            if isLast ? step.status == Z_STREAM_END : place == bytes.byteCount { break }
        }
        isFinished = isLast
    }
}
