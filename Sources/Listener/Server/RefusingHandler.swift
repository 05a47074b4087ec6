internal import NIOCore
internal import NIOExtras
internal import NIOHTTP1
internal import SetteeCouchProtocol

/// A connection beyond the limit: says so, without reading anything, and closes.
final class RefusingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = HTTPServerResponsePart

    private let explains: Bool
    private let lingerTime: TimeAmount
    private var timer: Scheduled<Void>?

    init(explains: Bool, lingerTime: TimeAmount) {
        self.explains = explains
        self.lingerTime = lingerTime
    }

    func channelActive(context: ChannelHandlerContext) {
        guard explains else { return context.close(promise: nil) }
        let error = CouchError.tooManyConnections
        context.write(wrapOutboundOut(.head(ConnectionHandler.head(for: error))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: error.body)))), promise: nil)
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: lingerTime) { channel.close(promise: nil) }
    }

    /// Discards what the client sends, so that it gets the answer and no reset.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent || event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }
}
