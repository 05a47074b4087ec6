internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import StorageProtocol

@testable internal import SetteeListener

/// A server for one test.
struct TestServer: Sendable {
    let server: ListenerServer
    let address: BoundAddress

    typealias Handler = @Sendable (ListenerRequest, BodyReader) async -> Answer

    /// Limits of time that a test does not reach, whose steps may wait for other tests in between.
    static var patience: ServerLimits {
        var limits = ServerLimits()
        limits.headTime = .seconds(300)
        limits.bodyGrace = .seconds(300)
        limits.stalledTime = .seconds(300)
        limits.idleTime = .seconds(300)
        return limits
    }

    /// Runs the test with a server that answers `hello`.
    static func greeting(
        _ limits: ServerLimits = TestServer.patience,
        tls: ServerTLS? = nil,
        run: (TestServer) async throws -> Void
    ) async throws {
        try await with(limits, tls: tls, respond: { _, _ in .text("hello") }, run: run)
    }

    /// Runs the test with a server, and ends the server after it.
    static func with(
        _ limits: ServerLimits = TestServer.patience,
        tls: ServerTLS? = nil,
        signal: StopSignal = StopSignal(),
        respond: @escaping Handler,
        run: (TestServer) async throws -> Void
    ) async throws {
        let configuration = ServerConfiguration(tls: tls, limits: limits)
        let server = ListenerServer(
            configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            stopSignal: signal,
            respond: respond
        )
        let test = TestServer(server: server, address: try await server.start())
        do {
            try await run(test)
        } catch {
            await server.stop(within: .zero)
            throw error
        }
        await server.stop(within: .zero)
    }

    func connect(reads: Bool = true, receiveBuffer: Int? = nil) async throws -> RawClient {
        try await RawClient.connect(to: address, reads: reads, receiveBuffer: receiveBuffer)
    }

    /// Sends a request on a connection of its own and returns all that comes until the server closes.
    func exchange(_ text: String) async throws -> String {
        let client = try await connect()
        try await client.send(text)
        let answer = await client.allUntilClosed()
        await client.close()
        return answer
    }
}

/// Opens once, for tests that wait for what happens elsewhere.
final class Gate: Sendable {
    private let signal = StopSignal()

    func open() { signal.stop() }

    func opened() async { await signal.whenStopping() }

    var isOpen: Bool { signal.isStopping }
}

extension BodyReader {
    /// The rest of the body, joined.
    func all() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await next() { bytes += piece.readableBytesView }
        return bytes
    }
}

extension Answer {
    static func text(_ text: String, _ status: HTTPResponse.Status = .ok) -> Answer {
        Answer(status: status, body: .bytes(ByteBuffer(string: text)))
    }
}
