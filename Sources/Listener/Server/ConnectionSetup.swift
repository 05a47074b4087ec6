internal import NIOCore
internal import NIOHTTP1
internal import SetteeSystemLibrary

/// Makes connections of accepted channels, and answers the requests of each.
struct ConnectionSetup: Sendable {
    let settings: ConnectionSettings
    let connectionLimit: Int
    let respond: @Sendable (ListenerRequest, BodyReader) async -> Answer

    /// Adds the handlers. To be called on the channel's event loop.
    func connection(on channel: any Channel) throws -> Connection {
        let open = settings.figures.opened()
        channel.closeFuture.whenComplete { [figures = settings.figures] _ in figures.closed() }
        let exchanges = RequestQueue()
        let handler = ConnectionHandler(settings: settings, exchanges: exchanges, loop: channel.eventLoop)
        setOptions(of: channel)
        let pipeline = channel.pipeline.syncOperations
        if open > connectionLimit {
            settings.figures.refused()
            exchanges.finish()
            // A handshake costs more than the answer is worth, and nobody is to hold many refused connections.
            let explains = !settings.isSecure && open <= connectionLimit + 64 + connectionLimit / 8
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(RefusingHandler(explains: explains, lingerTime: settings.lingerTime))
        } else {
            let gate = ByteGate(handler: handler, figures: settings.figures)
            handler.gate = gate
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = settings.headBytes
            limits.maxHeaderListSize = settings.headBytes
            try pipeline.addHandler(gate)
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits)))
            try pipeline.addHandler(handler)
        }
        return Connection(
            channel: channel,
            exchanges: exchanges,
            handler: NIOLoopBound(handler, eventLoop: channel.eventLoop)
        )
    }

    /// Answers one request after the other, and returns when the connection is closed. Cancelling closes it.
    func answer(_ connection: Connection) async {
        await withTaskCancellationHandler {
            while let exchange = await connection.exchanges.next() {
                await connection.send(await respond(exchange.request, exchange.body))
            }
            try? await connection.channel.closeFuture.get()
        } onCancel: {
            connection.channel.close(promise: nil)
        }
    }

    /// Small answers are sent at once. Of a stream, the system holds little that has not been sent, so that a slow
    /// reader is seen as slow and takes no megabytes of the system's memory.
    private func setOptions(of channel: any Channel) {
        guard let options = channel.syncOptions else { return }
        try? options.setOption(.tcpOption(.tcp_nodelay), value: 1)
        let unsentLimit = ChannelOptions.Types.SocketOption(
            level: .tcp,
            name: NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)
        )
        try? options.setOption(unsentLimit, value: 131_072)
    }
}
