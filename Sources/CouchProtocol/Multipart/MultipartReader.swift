/// Reads a multipart message that arrives in pieces of any size, and hands out its parts without collecting them.
///
/// ```swift
/// var reader = MultipartReader(boundary: try MultipartBoundary(contentType: header))
/// for await piece in body { try reader.push(piece.bytes, to: &handler) }
/// try reader.finish()
/// ```
///
/// The format is that of RFC 2046, section 5.1. As in CouchDB, lines end with CR LF: a bare LF is content where content
/// is, and an error (400) elsewhere. Text before the first boundary and after the last one is skipped. Blanks may
/// follow a boundary; anything else that does is an error, since RFC 2046 forbids lines in content that begin with the
/// boundary. The line end behind the last boundary may be missing. A part may be empty, and have no headers.
///
/// A part that is a message itself is read by pushing its content into another reader.
///
/// Between calls the reader keeps the headers read so far, and of content only how much of a boundary it may be.
///
/// - Complexity: O(bytes), whatever they are: a delimiter begins with CR and has no other, so that a mismatch never
///   leads back further than to the byte that caused it.
public struct MultipartReader: Sendable {
    /// What comes next.
    enum State: Sendable {
        case preamble
        case afterBoundary
        /// Behind a boundary and the first of two dashes.
        case afterDash
        /// In the blanks behind a boundary.
        case padding
        /// Behind the CR that ends the line of a boundary.
        case afterPadding
        case headers
        case content
        case epilogue
        case failed
    }

    let limits: MultipartLimits
    /// The line end, dashes and boundary.
    let delimiter: [UInt8]
    var state = State.preamble
    /// How many bytes of the delimiter have been found. At the beginning it is as if a line had ended before.
    var matched = 2
    /// How many of the matched bytes came before this piece.
    var carried = 2
    /// How many of the carried bytes are no content: a line end that ended something else.
    var borrowed = 0
    var parts = 0
    /// The unfinished line of a header.
    var line: [UInt8] = []
    var headers = MultipartHeaders()
    var headerBytes = 0

    public init(boundary: MultipartBoundary, limits: MultipartLimits = MultipartLimits()) {
        self.limits = limits
        delimiter = Array("\r\n--".utf8) + Array(boundary.text.utf8)
    }

    /// Whether the last boundary has been read. What follows it is skipped.
    public var isAtEnd: Bool { state == .epilogue }

    /// Takes the next bytes of the message.
    ///
    /// - Throws: `bad_request` (400) for what is no multipart message, and headers over their limits; `too_large` (413)
    ///   for too many parts; what the handler throws. After an error each call throws 400.
    public mutating func push(_ bytes: RawSpan, to handler: inout some MultipartHandler) throws(CouchError) {
        var place = 0
        let before = state
        // Until this call has gone well, so that no other call goes on after an error.
        state = .failed
        var state = before
        while place < bytes.byteCount {
            state = try step(state, bytes, &place, &handler)
        }
        self.state = state
    }

    /// Says that the message has ended.
    ///
    /// - Throws: `bad_request` (400) if it ended in the middle.
    public func finish() throws(CouchError) {
        guard isAtEnd else { throw .badRequest("The multipart message ends before its last boundary.") }
    }

    /// Takes at least one byte, and returns what comes next.
    private mutating func step(
        _ state: State,
        _ bytes: RawSpan,
        _ place: inout Int,
        _ handler: inout some MultipartHandler
    ) throws(CouchError) -> State {
        switch state {
        case .preamble: return try skip(bytes, &place) ? .afterBoundary : state
        case .content:
            guard try scan(bytes, &place, &handler) else { return state }
            try handler.partEnds()
            return .afterBoundary
        case .epilogue:
            place = bytes.byteCount
            return state
        case .failed: throw .badRequest("The multipart message is malformed.")
        case .headers: return try readHeader(bytes.byte(&place), &handler)
        case .afterBoundary, .afterDash, .padding, .afterPadding:
            let next = try follow(state, bytes.byte(&place))
            if next == .epilogue { try handler.messageEnds() }
            if next == .headers { try beginHeaders() }
            return next
        }
    }

    /// Takes a byte behind a boundary.
    private func follow(_ state: State, _ byte: UInt8) throws(CouchError) -> State {
        switch (state, byte) {
        case (.afterBoundary, ASCII.dash): .afterDash
        case (.afterDash, ASCII.dash): .epilogue
        case (.afterBoundary, ASCII.space), (.afterBoundary, ASCII.tab): .padding
        case (.padding, ASCII.space), (.padding, ASCII.tab): .padding
        case (.afterBoundary, ASCII.carriageReturn), (.padding, ASCII.carriageReturn): .afterPadding
        case (.afterPadding, ASCII.lineFeed): .headers
        default: throw .badRequest("The boundary of a multipart message must be followed by a line end or two dashes.")
        }
    }
}
