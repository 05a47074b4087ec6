internal import NIOCore
internal import NIOPosix
internal import StorageConformance
internal import StorageProtocol

/// A server that answers what it gets with bytes that a test chooses, and then closes the connection.
final class PieceServer: Sendable {
    typealias Script = @Sendable () -> [[UInt8]]

    static func run(_ script: @escaping Script, _ test: (_ port: Int) async throws -> Void) async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        do {
            try await test(channel.localAddress?.port ?? 0)
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let script: Script
        private var isAnswered = false

        init(_ script: @escaping Script) { self.script = script }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isAnswered else { return }
            isAnswered = true
            for piece in script() {
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: piece)), promise: nil)
            }
            context.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// Answers of random pieces of HTTP.
final class AnswerPieces: Sendable {
    private let random: Locked<SeededGenerator>

    private static let body = #"{"db_name":"db","update_seq":7,"instance_start_time":"0"}"#
    private static let heads = [
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "HTTP/1.1 199 X\r\n\r\n",
        "HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
        "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 500 X\r\nContent-Length: 70000\r\n\r\n{",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\u{1F}\u{8B}\u{8}",
        "HTTP/1.1 302 Found\r\nLocation: /db\r\nContent-Length: 0\r\n\r\n",
    ]
    private static let rest = [
        "5\r\nhello\r\n", "0\r\n\r\n", "0\r\nTrailer: x\r\n\r\n", "ffffffffffffffff\r\n", body, "\r\n", "HTTP/1.1 ",
        "HTTP/1.1 100", "x: y\r\n", "\r\n\r\n", "\u{0}", "HTTP/2 200\r\n\r\n", "Content-Length: -1\r\n\r\n",
    ]

    init(_ seed: UInt64) { random = Locked(SeededGenerator(seed: seed)) }

    /// One answer, as the pieces that are sent one after the other.
    func next() -> [[UInt8]] {
        random.withLock { random in
            var bytes: [UInt8] = []
            for _ in 0..<(1 + random.below(5)) {
                let from = random.chance(2, in: 3) ? AnswerPieces.heads : AnswerPieces.rest
                bytes += from[random.below(from.count)].utf8
            }
            if random.chance(1, in: 4) { bytes.removeLast(random.below(bytes.count)) }
            if random.chance(1, in: 6), !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            guard random.chance(1, in: 2), bytes.count > 1 else { return [bytes] }
            let cut = 1 + random.below(bytes.count - 1)
            return [Array(bytes[..<cut]), Array(bytes[cut...])]
        }
    }
}
