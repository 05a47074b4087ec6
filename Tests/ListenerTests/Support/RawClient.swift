internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import StorageProtocol

@testable internal import SetteeListener

/// A client that sends bytes as they are and sees bytes as they come.
final class RawClient: Sendable {
    /// Somebody who waits for a text to come a number of times, or for a number of bytes.
    private struct Waiter {
        var text: [UInt8] = []
        var missing = 1
        var atLeast = Int.max
        var position = 0
        let continuation: CheckedContinuation<Void, Never>

        /// Looks only at what is new.
        mutating func isMet(_ bytes: [UInt8]) -> Bool {
            if bytes.count >= atLeast { return true }
            guard !text.isEmpty else { return false }
            while missing > 0, position + text.count <= bytes.count {
                if bytes[position] == text[0], bytes[position..<position + text.count].elementsEqual(text) {
                    missing -= 1
                    position += text.count
                } else {
                    position += 1
                }
            }
            return missing == 0
        }
    }

    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
        var waiter: Waiter?
    }

    private let channel: any Channel
    private let state: SharedState

    private final class SharedState: Sendable {
        let locked = Locked(State())

        func update(_ change: (inout State) -> Void) {
            let ready: Waiter? = locked.withLock { state in
                change(&state)
                guard var waiter = state.waiter else { return nil }
                let isMet = waiter.isMet(state.bytes) || state.isClosed
                state.waiter = isMet ? nil : waiter
                return isMet ? waiter : nil
            }
            ready?.continuation.resume()
        }
    }

    private init(_ channel: any Channel, _ state: SharedState) {
        self.channel = channel
        self.state = state
    }

    /// - Parameters:
    ///   - reads: false: the client takes nothing from its socket until `startReading`.
    ///   - receiveBuffer: The size of the socket's buffer; nil: the system's choice.
    static func connect(
        to address: BoundAddress,
        tls: TLSConfiguration? = nil,
        reads: Bool = true,
        receiveBuffer: Int? = nil
    ) async throws -> RawClient {
        let state = SharedState()
        let context = try tls.map { try NIOSSLContext(configuration: $0) }
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: reads)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        let handler = try NIOSSLClientHandler(context: context, serverHostname: nil)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(Collector(state))
                }
            }
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: receiveBuffer)
        }
        return RawClient(try await bootstrap.connect(host: address.host, port: address.port).get(), state)
    }

    /// Sends and returns once the system has taken it.
    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Sends without waiting until it is taken.
    func beginSending(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    func startReading() async throws { try await channel.setOption(ChannelOptions.autoRead, value: true).get() }

    /// Reads once from the socket.
    func readSome() { channel.read() }

    func closeOutput() async throws { try await channel.close(mode: .output) }

    func close() async { try? await channel.close() }

    /// Everything that came, once the server has closed its side.
    func allUntilClosed() async -> String {
        await wait { Waiter(continuation: $0) }
        return text
    }

    /// Everything that came, once the text is in it so often. Returns without it if the server closes first.
    func all(until text: String, count: Int = 1) async -> String {
        await wait { Waiter(text: Array(text.utf8), missing: count, continuation: $0) }
        return self.text
    }

    /// How many bytes came, once they are so many.
    func all(atLeast count: Int) async -> Int {
        await wait { Waiter(atLeast: count, continuation: $0) }
        return received
    }

    var text: String { String(decoding: state.locked.withLock { $0.bytes }, as: UTF8.self) }

    var received: Int { state.locked.withLock { $0.bytes.count } }

    var isClosed: Bool { state.locked.withLock { $0.isClosed } }

    private func wait(_ waiter: (CheckedContinuation<Void, Never>) -> Waiter) async {
        await withCheckedContinuation { continuation in
            state.update { $0.waiter = waiter(continuation) }
        }
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let state: SharedState

        init(_ state: SharedState) { self.state = state }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(unwrapInboundIn(data).readableBytesView)
            state.update { $0.bytes += bytes }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { state.update { $0.isClosed = true } }
        }

        func channelInactive(context: ChannelHandlerContext) { state.update { $0.isClosed = true } }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            state.update { $0.isClosed = true }
            context.close(promise: nil)
        }
    }
}
