internal import NIOCore
internal import NIOHTTP1

/// Passes on of a connection's answers what the client's state machine can take: it traps where a part comes out of
/// turn, and where an interim answer is not followed by another one.
///
/// Interim answers (1xx) stay here. One that changes the protocol (101), and a status below 100, close the connection.
final class AnswerFilter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var isClosed = false
    /// Whether an answer has begun and has not ended.
    private var isAnswering = false

    /// Puts it behind the decoder of a connection.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(AnswerFilter(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosed else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            switch head.status.code {
            case 100, 102..<200: return
            case 200... where !isAnswering: isAnswering = true
            default: return close(context)
            }
        case .body: if !isAnswering { return close(context) }
        case .end:
            guard isAnswering else { return close(context) }
            isAnswering = false
        }
        context.fireChannelRead(data)
    }

    private func close(_ context: ChannelHandlerContext) {
        isClosed = true
        context.fireErrorCaught(PeerError.badAnswer("without a status of HTTP"))
        context.close(promise: nil)
    }
}
