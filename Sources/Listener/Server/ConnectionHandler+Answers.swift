internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import SetteeCouchProtocol

/// What the task that answers calls, on the event loop.
extension ConnectionHandler {
    /// The handler wants the body.
    func demandBody() {
        guard phase == .exchange, let current, !current.isReceived, !current.isBroken, let context else { return }
        if current.awaitsContinue, !current.hasAnswerHead {
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        self.current?.awaitsContinue = false
        self.current?.isHeld = false
        updateBodyDeadline()
        gate?.resume()
    }

    /// Writes an answer that is in memory, and turns to the next request once it is sent.
    func send(_ answer: Answer, _ bytes: ByteBuffer) {
        guard phase == .exchange, let current, let context else { return }
        let promise = willWrite()
        promise.futureResult.assumeIsolated().whenComplete { self.answerSent($0) }
        if current.sendsBody(answer.status), bytes.readableBytes > 0 {
            writeHead(answer, length: bytes.readableBytes, promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        } else {
            writeHead(answer, length: bytes.readableBytes, promise: promise)
        }
        context.flush()
        watchWrites()
    }

    /// Writes the head of an answer that comes piece by piece.
    ///
    /// - Returns: Whether the connection is there and the answer has a body.
    func beginStream(_ answer: Answer, length: Int?) -> Bool {
        guard phase == .exchange, let current, let context else { return false }
        let promise = willWrite()
        let sendsBody = current.sendsBody(answer.status)
        promise.futureResult.assumeIsolated().whenComplete {
            if sendsBody { self.didWrite() } else { self.answerSent($0) }
        }
        writeHead(answer, length: length, promise: promise)
        context.flush()
        watchWrites()
        return sendsBody
    }

    /// Writes a piece.
    ///
    /// - Returns: Done when the operating system has taken it.
    func write(_ piece: ByteBuffer) -> EventLoopFuture<Void> {
        guard phase == .exchange, let context else { return loop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        let promise = willWrite()
        promise.futureResult.assumeIsolated().whenComplete { _ in self.didWrite() }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(piece))), promise: promise)
        watchWrites()
        return promise.futureResult
    }

    /// Ends an answer that came piece by piece.
    func endStream() {
        guard phase == .exchange, let context else { return }
        let promise = willWrite()
        promise.futureResult.assumeIsolated().whenComplete { self.answerSent($0) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
        watchWrites()
    }

    private func answerSent(_ result: Result<Void, any Error>) {
        didWrite()
        guard phase == .exchange, let current else { return }
        guard case .success = result else { return close() }
        self.current?.isAnswered = true
        guard current.isKeptAlive, current.canDrain(atMost: settings.drainedBytes) else { return closeAfterAnswer() }
        guard !current.isReceived else { return endExchange() }
        self.current?.isDraining = true
        self.current?.isHeld = false
        updateBodyDeadline()
        gate?.resume()
    }

    private func writeHead(_ answer: Answer, length: Int?, promise: EventLoopPromise<Void>?) {
        guard var current, let context else { return }
        let status = 200...599 ~= answer.status.code ? answer.status : .internalServerError
        var headers = HTTPHeaders()
        headers.reserveCapacity(answer.headers.count + 3)
        for field in answer.headers where !ConnectionHandler.isFraming(field.name) {
            headers.add(name: field.name.rawName, value: field.value)
        }
        headers.add(name: "Date", value: settings.date.now)
        if let length { headers.add(name: "Content-Length", value: "\(length)") }
        let isOld = current.version == .http1_0
        let isEndedByClosing = isOld && length == nil && current.sendsBody(status)
        current.isKeptAlive =
            current.isKeptAlive && !settings.stopSignal.isStopping && !isEndedByClosing
            && current.canDrain(atMost: settings.drainedBytes)
        if !current.isKeptAlive {
            headers.add(name: "Connection", value: "close")
        } else if isOld {
            headers.add(name: "Connection", value: "keep-alive")
        }
        current.hasAnswerHead = true
        current.status = status.code
        self.current = current
        let head = HTTPResponseHead(
            version: current.version,
            status: HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase),
            headers: headers
        )
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    private static func isFraming(_ name: HTTPField.Name) -> Bool {
        name == .contentLength || name == .transferEncoding || name == .connection || name == .date
    }

    /// Method, status and time. A path names documents, which no log may.
    func log() {
        guard let current, settings.logger.logLevel <= .debug else { return }
        settings.logger.debug(
            "Answered a request",
            metadata: [
                "method": "\(current.request.method.rawValue)",
                "status": "\(current.status)",
                "ms": "\((NIODeadline.now() - current.start).nanoseconds / 1_000_000)",
            ]
        )
    }
}
