internal import NIOCore
internal import NIOTLS

/// Stands between the socket (or TLS) and the HTTP parser. It counts bytes, and lets the parser see no more than the
/// current request, so that a client that sends thousands of requests at once fills no memory.
///
/// What has been read beyond waits here as bytes, at most one read of the socket, and nothing is read meanwhile. The
/// parser gets 4 KiB at a time, or what is left of a body whose length is known; requests that it finds beyond the
/// current one in these 4 KiB wait in the handler.
final class ByteGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let handler: ConnectionHandler
    private let figures: ServerFigures
    private var context: ChannelHandlerContext?
    private var waiting: ByteBuffer?
    private var isReadHeld = false
    /// The client has closed its side, behind the bytes that wait.
    private var isEndHeld = false
    private var isFeeding = false

    init(handler: ConnectionHandler, figures: ServerFigures) {
        self.handler = handler
        self.figures = figures
    }

    /// Whether bytes wait that the parser has not seen.
    var hasWaitingBytes: Bool { waiting != nil }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        figures.received(bytes.readableBytes)
        if handler.isClosing { return }
        if waiting == nil {
            waiting = bytes
        } else {
            waiting?.writeBuffer(&bytes)
        }
        feed(context)
    }

    func read(context: ChannelHandlerContext) {
        if waiting == nil { context.read() } else { isReadHeld = true }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        figures.sent(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            handler.inputClosed()
            if waiting != nil {
                isEndHeld = true
                return
            }
        } else if case .handshakeCompleted = event as? TLSUserEvent {
            handler.handshakeCompleted()
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Goes on where `ConnectionHandler.takesBytes` ended it.
    func resume() {
        guard !isFeeding, let context else { return }
        feed(context)
        if waiting == nil { releaseHeld(context) }
    }

    /// Drops what waits: the connection takes no more requests.
    func discard() {
        waiting = nil
        if let context { releaseHeld(context) }
    }

    private func releaseHeld(_ context: ChannelHandlerContext) {
        if isEndHeld {
            isEndHeld = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if isReadHeld {
            isReadHeld = false
            context.read()
        }
    }

    private func feed(_ context: ChannelHandlerContext) {
        guard !isFeeding else { return }
        isFeeding = true
        defer { isFeeding = false }
        while handler.takesBytes, var bytes = waiting.take() {
            let count = min(bytes.readableBytes, handler.sliceLimit)
            guard let slice = bytes.readSlice(length: count) else { return }
            if bytes.readableBytes > 0 { waiting = bytes }
            handler.beforeParsing(slice)
            context.fireChannelRead(wrapInboundOut(slice))
            handler.afterParsing(slice.readableBytes)
        }
    }
}
