internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import SetteeCouchProtocol

/// What a connection knows of the request it is at.
struct CurrentExchange {
    let request: HTTPRequest
    let version: HTTPVersion
    let body: BodyReader
    let start = NIODeadline.now()

    /// Whether the body has come to its end.
    var isReceived = false
    /// Bytes of a body of known length that have not come.
    private(set) var missingBytes: Int?
    /// The reader has enough: nothing is parsed until it wants more.
    var isHeld = false
    /// The client waits for the word to send its body.
    var awaitsContinue: Bool
    /// The body is malformed or came too slowly: nothing more is parsed.
    var isBroken = false
    /// What still comes is dropped.
    var isDraining = false
    var clock: BodyClock

    /// Whether the answer's head has been written.
    var hasAnswerHead = false
    /// Whether the whole answer has been sent.
    var isAnswered = false
    var isKeptAlive: Bool
    var status = 0

    init(_ head: ReceivedHead, body: BodyReader, settings: ConnectionSettings) {
        request = head.request
        version = head.version
        self.body = body
        awaitsContinue = head.expectsContinue
        isKeptAlive = head.isKeptAlive
        clock = BodyClock(rate: settings.bodyRate, grace: settings.bodyGrace)
        if case .known(let count) = head.bodyLength { missingBytes = count }
    }

    /// Whether an answer of this status has a body.
    func sendsBody(_ status: HTTPResponse.Status) -> Bool {
        request.method != .head && status != .noContent && status != .notModified
    }

    mutating func receive(_ bytes: ByteBuffer) {
        awaitsContinue = false
        clock.add(bytes: bytes.readableBytes)
        missingBytes = missingBytes.map { max(0, $0 - bytes.readableBytes) }
        if !isDraining, body.append(bytes) { isHeld = true }
    }

    /// Whether the connection can be used on when the answer has been sent: what is left of the body is short.
    func canDrain(atMost limit: Int) -> Bool {
        if isReceived { return true }
        guard !awaitsContinue, let missingBytes else { return false }
        return missingBytes <= limit
    }
}
