internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import SetteeCouchProtocol

/// One connection: its requests one after the other, their bodies, their answers, and until when it waits for what.
///
/// Everything here runs on the connection's event loop. The task that answers the requests stands behind `exchanges`;
/// it calls the functions of `ConnectionHandler+Answers.swift` by way of `Connection`.
final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPServerResponsePart

    enum Phase {
        /// TLS is being agreed on.
        case handshake
        /// Waits for the next request.
        case idle
        /// Has bytes of a head.
        case head
        /// Has a head, until body and answer are complete.
        case exchange
        /// Sends the last answer, and discards what comes.
        case closing
    }

    let settings: ConnectionSettings
    let exchanges: RequestQueue
    let loop: any EventLoop
    var phase: Phase
    var current: CurrentExchange?
    var context: ChannelHandlerContext?
    weak var gate: ByteGate?

    /// Parts of later requests that were in the same slice of bytes as the current one's end.
    var early: CircularBuffer<HTTPServerRequestPart> = []
    /// What the parser said about the bytes after those in `early`.
    var earlyRefusal: CouchError?
    var isInputClosed = false

    var deadlines = Deadlines()
    var timer: Scheduled<Void>?
    var timerDeadline: NIODeadline?
    /// Bytes of the current head, and whether its first line is complete.
    private var headBytes = 0
    private var hasFirstLine = false

    /// Writes that the operating system has not taken.
    var unsentWrites = 0
    /// What waited to be sent when it was last looked at.
    var unsentBytes = 0
    /// When less waited than the time before.
    var lastProgress = NIODeadline.uptimeNanoseconds(0)

    var clientCertificate: [UInt8]?
    private var remoteAddress: String?

    init(settings: ConnectionSettings, exchanges: RequestQueue, loop: any EventLoop) {
        self.settings = settings
        self.exchanges = exchanges
        self.loop = loop
        phase = settings.isSecure ? .handshake : .idle
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        remoteAddress = context.remoteAddress?.ipAddress
        deadlines.phase = .now() + (phase == .handshake ? settings.headTime : settings.idleTime)
        updateTimer()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .closing else { return }
        let part = unwrapInboundIn(data)
        if let current, current.isReceived { early.append(part) } else { accept(part) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            // The socket's and TLS's own.
            context.close(promise: nil)
            return
        }
        let refusal: CouchError =
            error == .headerOverflow ? .longHead : .badRequest("The request is not well-formed HTTP/1.1.")
        switch phase {
        case .handshake, .closing: break
        case .idle, .head: refuse(refusal)
        case .exchange:
            if let current, current.isReceived { earlyRefusal = refusal } else { failBody(.malformedBody) }
        }
    }

    /// Takes a part that is the next one in order.
    func accept(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head):
            let received: ReceivedHead
            do throws(CouchError) {
                received = try ReceivedHead(head, isSecure: settings.isSecure, targetLimit: settings.targetBytes)
            } catch {
                refuse(error)
                return
            }
            begin(received)
        case .body(let bytes): current?.receive(bytes)
        case .end:
            current?.isReceived = true
            deadlines.body = nil
            current?.body.end()
            if let current, current.isAnswered { endExchange() }
        }
    }

    private func begin(_ head: ReceivedHead) {
        let handler = NIOLoopBound(self, eventLoop: loop)
        let body = BodyReader(isHeld: head.expectsContinue) { [loop] in
            loop.execute { handler.value.demandBody() }
        }
        phase = .exchange
        deadlines.phase = nil
        current = CurrentExchange(head, body: body, settings: settings)
        if isInputClosed { body.clientGone() }
        settings.figures.requested()
        let request = ListenerRequest(
            head: head.request,
            remoteAddress: remoteAddress,
            isSecure: settings.isSecure,
            clientCertificate: clientCertificate
        )
        exchanges.push(PendingRequest(request: request, body: body))
    }

    /// Ends what the current exchange needs no more, and turns to the next.
    func endExchange() {
        log()
        current = nil
        phase = .idle
        deadlines = Deadlines(phase: .now() + settings.idleTime)
        if settings.stopSignal.isStopping { return close() }
        while !(current?.isReceived ?? false), let part = early.popFirst() {
            accept(part)
            if phase == .closing { return }
        }
        if phase == .idle, let earlyRefusal { return refuse(earlyRefusal) }
        gate?.resume()
        if phase == .idle {
            // Nothing more will come.
            if isInputClosed { close() } else { updateTimer() }
        }
    }
}

/// For the gate.
extension ConnectionHandler {
    var isClosing: Bool { phase == .closing }

    /// Whether the parser may see more bytes.
    var takesBytes: Bool {
        switch phase {
        case .handshake, .idle, .head: true
        case .exchange: current.map { !$0.isReceived && !$0.isHeld && !$0.isBroken } ?? false
        case .closing: false
        }
    }

    /// As many bytes may be parsed at once: all that belong to the body, if it is known, else few.
    var sliceLimit: Int {
        guard phase == .exchange, let missing = current?.missingBytes, missing > 0 else { return 4_096 }
        return missing
    }

    func beforeParsing(_ bytes: ByteBuffer) {
        if phase == .idle {
            phase = .head
            headBytes = 0
            hasFirstLine = false
        }
        if phase == .head, !hasFirstLine {
            hasFirstLine = bytes.readableBytesView.contains(UInt8(ascii: "\n"))
        }
    }

    func afterParsing(_ count: Int) {
        switch phase {
        case .head:
            if headBytes == 0 {
                deadlines.phase = .now() + settings.headTime
                updateTimer()
            }
            headBytes += count
            if !hasFirstLine, headBytes > settings.targetBytes + 64 {
                refuse(.longTarget)
            } else if headBytes > settings.headBytes {
                refuse(hasFirstLine ? .longHead : .longTarget)
            }
        case .exchange: updateBodyDeadline()
        case .handshake, .idle, .closing: break
        }
    }

    func handshakeCompleted() {
        guard phase == .handshake, let context else { return }
        phase = .idle
        if settings.verifiesClients {
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            clientCertificate = try? certificate?.toDERBytes()
        }
        deadlines.phase = .now() + settings.idleTime
        updateTimer()
    }

    /// The client sends no more. What it has sent is answered.
    func inputClosed() {
        isInputClosed = true
        current?.body.clientGone()
    }
}
