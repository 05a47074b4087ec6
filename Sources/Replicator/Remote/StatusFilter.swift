internal import NIOCore
internal import NIOHTTP1

/// Closes a connection on which an answer comes with a status below 100, which the client's state machine takes for one
/// that precedes the answer, and traps at its end.
final class StatusFilter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var isClosed = false

    /// Puts it behind the decoder of a connection.
    static func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(StatusFilter(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosed else { return }
        if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
            isClosed = true
            context.fireErrorCaught(PeerError.badAnswer("without a status of HTTP"))
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
    }
}
