internal import Logging
internal import NIOCore
internal import NIOExtras
internal import NIOHTTP1
internal import SetteeCouchProtocol

extension ConnectionHandler {
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: quiesce()
        case ChannelEvent.inputClosed where phase == .closing || phase == .idle || phase == .head: close()
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// The server stops: what is under way may end.
    private func quiesce() {
        switch phase {
        case .handshake, .idle, .head: close()
        case .exchange: current?.isKeptAlive = false
        case .closing: break
        }
    }

    /// Answers what cannot be handed to a handler, and ends the connection.
    func refuse(_ error: CouchError) {
        guard let context, phase != .closing else { return }
        settings.figures.refusedRequest()
        settings.logger.debug("Refused a request", metadata: ["status": "\(error.status)", "error": "\(error.error)"])
        beginClosing()
        let promise = willWrite()
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.didWrite()
            self.finishClosing(lingers: true)
        }
        context.write(wrapOutboundOut(.head(ConnectionHandler.head(for: error))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: error.body)))), promise: promise)
        watchWrites()
    }

    /// The head of an answer by which the server ends a connection without having asked a handler.
    static func head(for error: CouchError) -> HTTPResponseHead {
        var headers: HTTPHeaders = [
            "content-type": "application/json",
            "content-length": "\(error.body.count)",
            "connection": "close",
        ]
        if error.isRetryable { headers.add(name: "retry-after", value: "5") }
        return HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: error.status),
            headers: headers
        )
    }

    /// Ends the connection after its last answer has been sent.
    func closeAfterAnswer() {
        let lingers = !(current?.isReceived ?? true) || !early.isEmpty || gate?.hasWaitingBytes ?? false
        log()
        beginClosing()
        finishClosing(lingers: lingers)
    }

    private func beginClosing() {
        phase = .closing
        deadlines = Deadlines()
        current?.body.end(.incompleteBody)
        current?.body.clientGone()
        current = nil
        early = []
        exchanges.finish()
        gate?.discard()
    }

    /// Closes the sending side. The receiving side stays open for a while if the client may still be sending: the
    /// system would answer that with a reset, and the client would lose the answer.
    private func finishClosing(lingers: Bool) {
        guard lingers, !isInputClosed, let context else { return close() }
        context.close(mode: .output, promise: nil)
        deadlines.phase = .now() + settings.lingerTime
        updateTimer()
    }

    /// Ends the current body with an error, for its reader. The connection can only be closed after the answer.
    func failBody(_ error: CouchError) {
        deadlines.body = nil
        current?.isKeptAlive = false
        current?.body.end(error)
        current?.isBroken = true
    }

    /// Closes the connection at once.
    func close() {
        context?.close(promise: nil)
    }

    /// Tells everybody who waits that the connection is over.
    func end() {
        phase = .closing
        timer?.cancel()
        timer = nil
        deadlines = Deadlines()
        current?.body.end(.incompleteBody)
        current?.body.clientGone()
        current = nil
        early = []
        exchanges.finish()
    }
}
