internal import NIOCore
internal import NIOHTTP1
internal import StorageProtocol

/// The answers whose connections broke in the middle.
///
/// When a connection breaks, the HTTP client drops what has arrived and has not been read, and it would cross the
/// network again. So it is told that the answer has ended, which makes it hand everything over, and the reader of the
/// body finds out here that the rest is missing. A header that every answer gets has its number.
final class BrokenAnswers: Sendable {
    private struct State {
        var last = 0
        /// The answers that have begun and have not ended, and whether they broke.
        var isBroken: [Int: Bool] = [:]
    }

    private static let header = "Settee-Answer"
    private let state = Locked(State())

    /// Puts the handler behind the decoder of a connection.
    func watch(_ channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(Handler(self), position: .after(decoder))
    }

    /// The number of an answer.
    static func number(in headers: HTTPHeaders) -> Int? { headers.first(name: header).flatMap { Int($0) } }

    func contains(_ number: Int) -> Bool { state.withLock { $0.isBroken[number] == true } }

    /// Forgets an answer that nobody reads any more.
    func remove(_ number: Int) { state.withLock { $0.isBroken[number] = nil } }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart

        private let answers: BrokenAnswers
        /// The answer whose body is being received.
        private var number: Int?
        /// Whether an answer was ended here. What comes behind it is not passed on.
        private var isBroken = false

        init(_ answers: BrokenAnswers) { self.answers = answers }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isBroken else { return }
            switch unwrapInboundIn(data) {
            case .head(var head):
                let number = answers.state.withLock {
                    $0.last += 1
                    $0.isBroken[$0.last] = false
                    return $0.last
                }
                self.number = number
                head.headers.replaceOrAdd(name: BrokenAnswers.header, value: String(number))
                context.fireChannelRead(wrapInboundOut(.head(head)))
            case .body: context.fireChannelRead(data)
            case .end:
                if let number { answers.remove(number) }
                number = nil
                context.fireChannelRead(data)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if !endsAnswer(context) { context.fireErrorCaught(error) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            _ = endsAnswer(context)
            context.fireChannelInactive()
        }

        /// Ends an answer of which a part is missing. False if there is none.
        private func endsAnswer(_ context: ChannelHandlerContext) -> Bool {
            guard let number else { return false }
            self.number = nil
            isBroken = true
            answers.state.withLock {
                if $0.isBroken[number] != nil { $0.isBroken[number] = true }
            }
            // After an end that comes when nothing is being read, the client closes the connection. Otherwise it would
            // use it again.
            context.fireChannelReadComplete()
            context.fireChannelRead(wrapInboundOut(.end(nil)))
            return true
        }
    }
}
