internal import CSetteeZlib

/// Inflates a body that arrives in pieces: gzip (RFC 1952), or zlib's format (RFC 1950). Checksums are verified.
///
/// Several gzip members in a row form one content (RFC 1952, section 2.2). Anything else behind a member is an error,
/// and so is anything behind zlib's format. It belongs to one thread at a time.
///
/// ```swift
/// let inflater = try GzipInflater(.gzip, limits: InflationLimits(bytes: 256 << 20))
/// try inflater.push(piece) { (bytes) throws(CouchError) in try parser.push(bytes) }
/// try inflater.finish()
/// ```
public final class GzipInflater {
    private enum State {
        /// Before the first member.
        case beginning
        case inside
        /// Behind a member.
        case behind
        case failed
    }

    private let stream: ZlibStream
    private let format: CompressionFormat
    private let limits: InflationLimits
    private var state = State.beginning
    private var compressed: UInt64 = 0
    /// How many bytes have been inflated so far.
    public private(set) var inflatedBytes: UInt64 = 0

    /// - Throws: `service_unavailable` (503) if there is no memory.
    public init(_ format: CompressionFormat, limits: InflationLimits) throws(CouchError) {
        stream = try ZlibStream(.inflate, format)
        self.format = format
        self.limits = limits
    }

    /// Inflates the next bytes, and passes the result on in pieces of at most 64 KiB. They are lent for the call.
    ///
    /// - Throws: `bad_request` (400) for what is not of the format; `too_large` (413) over the limits, before the bytes
    ///   beyond them are passed on; what `body` throws. After an error each call throws 400.
    /// - Complexity: O(bytes and inflated bytes).
    public func push(_ bytes: RawSpan, _ body: (RawSpan) throws(CouchError) -> Void) throws(CouchError) {
        guard state != .failed else { throw GzipInflater.damaged }
        var state = self.state
        self.state = .failed
        var place = 0
        // A full output buffer may mean that there is more without more input, which should not wait for it.
        var isFull = false
        while place < bytes.byteCount || isFull {
            if state == .behind {
                guard format == .gzip else { throw GzipInflater.damaged }
                stream.reset()
            }
            state = .inside
            let step = stream.step(bytes, from: place)
            place += step.taken
            compressed &+= UInt64(step.taken)
            isFull = step.made == ZlibStream.pieceSize && step.status == Z_OK
            try pass(step.made, body)
            switch step.status {
            case Z_STREAM_END: state = .behind
            case Z_OK, Z_BUF_ERROR: break
            default: throw GzipInflater.damaged
            }
        }
        self.state = state
    }

    private func pass(_ count: Int, _ body: (RawSpan) throws(CouchError) -> Void) throws(CouchError) {
        guard count > 0 else { return }
        inflatedBytes += UInt64(count)
        guard limits.allow(inflatedBytes, from: compressed) else { throw .tooLarge }
        try stream.withOutput(count, body)
    }

    /// Says that the body has ended.
    ///
    /// - Throws: `bad_request` (400) if it ended in the middle, or is empty.
    public func finish() throws(CouchError) {
        guard state == .behind else { throw GzipInflater.damaged }
    }

    private static var damaged: CouchError { .badRequest("The compressed body is damaged or incomplete.") }
}
