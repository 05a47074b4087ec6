internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import StorageProtocol

/// A server that answers as a test says.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        var method: String
        /// Path and query.
        var uri: String
        var headers: HTTPHeaders
        var body: [UInt8] = []

        var path: String { String(uri.prefix { $0 != "?" }) }
        var text: String { String(decoding: body, as: UTF8.self) }
        /// Method and path.
        var line: String { "\(method) \(path)" }
    }

    struct Reply: Sendable {
        var status = 200
        var headers: [(String, String)] = [("Content-Type", "application/json")]
        var body: [UInt8] = []
        /// After so many bytes of the body the connection is closed.
        var cut: Int?

        static func json(_ text: String, _ status: Int = 200) -> Reply { Reply(status: status, body: Array(text.utf8)) }

        static func error(_ status: Int, _ error: String = "error", _ reason: String = "") -> Reply {
            json(#"{"error":"\#(error)","reason":"\#(reason)"}"#, status)
        }
    }

    typealias Script = @Sendable (Request) -> Reply

    let port: Int
    private let channel: any Channel
    private let seen: SeenRequests

    final class SeenRequests: Sendable {
        let all: Locked<[Request]> = Locked([])
    }

    private init(_ channel: any Channel, _ seen: SeenRequests) {
        self.channel = channel
        self.seen = seen
        port = channel.localAddress?.port ?? 0
    }

    /// The requests that have come.
    var requests: [Request] { seen.all.withLock { $0 } }

    /// How many requests had a method and path.
    func count(_ line: String) -> Int { requests.count { $0.line == line } }

    static func run(
        tls: NIOSSLContext? = nil,
        _ script: @escaping Script,
        _ test: (ScriptedServer) async throws -> Void
    ) async throws {
        let seen = SeenRequests()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(seen, script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = ScriptedServer(channel, seen)
        do {
            try await test(server)
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let seen: SeenRequests
        private let script: Script
        private var request: Request?

        init(_ seen: SeenRequests, _ script: @escaping Script) {
            self.seen = seen
            self.script = script
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): request = Request(method: head.method.rawValue, uri: head.uri, headers: head.headers)
            case .body(let bytes): request?.body += bytes.readableBytesView
            case .end:
                guard let request else { return }
                seen.all.withLock { $0.append(request) }
                answer(script(request), isHead: request.method == "HEAD", context)
            }
        }

        private func answer(_ reply: Reply, isHead: Bool, _ context: ChannelHandlerContext) {
            var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: reply.status))
            for (name, value) in reply.headers { head.headers.add(name: name, value: value) }
            head.headers.replaceOrAdd(name: "Content-Length", value: String(reply.body.count))
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            let body = reply.body.prefix(reply.cut ?? .max)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            guard reply.cut == nil else {
                context.flush()
                return context.close(promise: nil)
            }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
