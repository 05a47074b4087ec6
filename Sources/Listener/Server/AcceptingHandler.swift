internal import Logging
internal import NIOCore

/// Pauses when a connection cannot be accepted, as when the process has no file descriptor left. Without it the server
/// would try again at once and without end, since the connection still waits.
final class AcceptingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    private let logger: Logger
    private var pauses = false
    private var isReadHeld = false

    private static let pause = TimeAmount.milliseconds(100)

    init(logger: Logger) { self.logger = logger }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !pauses else { return }
        pauses = true
        logger.warning(
            "Cannot accept a connection. Allow the process more open files, or fewer connections.",
            metadata: ["error": "\(error)"]
        )
        let this = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: AcceptingHandler.pause) {
            let (handler, context) = this.value
            handler.pauses = false
            if handler.isReadHeld {
                handler.isReadHeld = false
                context.read()
            }
        }
    }

    func read(context: ChannelHandlerContext) {
        if pauses { isReadHeld = true } else { context.read() }
    }
}
