internal import HTTPTypes
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// The beginning and the end of a server.
@Suite(.timeLimit(.minutes(10))) struct StopTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func server(_ configuration: ServerConfiguration = ServerConfiguration()) -> ListenerServer {
        ListenerServer(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) { _, _ in
            .text("hello")
        }
    }

    @Test func startingTwiceIsStartingOnce() async throws {
        let server = server()
        async let first = server.start()
        async let second = server.start()
        let addresses = try await [first, second, server.start()]
        #expect(Set(addresses.map(\.port)).count == 1)
        #expect(addresses[0].host == "127.0.0.1" && addresses[0].port > 0)
        async let stopped: Void = server.stop()
        await server.stop()
        await stopped
        await #expect(throws: StorageError.self) { try await server.start() }
        // The port is free.
        let next = self.server(ServerConfiguration(port: addresses[0].port))
        #expect(try await next.start().port == addresses[0].port)
        await next.stop()
    }

    @Test func aServerThatWasNotStartedStopsAtOnce() async throws {
        let server = server()
        await server.stop()
        await #expect(throws: StorageError.self) { try await server.start() }
    }

    @Test func aPortInUseIsNamed() async throws {
        try await TestServer.greeting { test in
            let second = server(ServerConfiguration(port: test.address.port))
            let error = await #expect(throws: StorageError.self) { try await second.start() }
            #expect(error?.code == .inUse)
            #expect(error?.message.contains("Port \(test.address.port) ") ?? false)
            await second.stop()
        }
    }

    @Test(arguments: [("127.0.0.1", 65_536), ("127.0.0.1", -1), ("192.0.2.1", 0), ("no such name.invalid", 0), ("", 0)])
    func addressesThatCannotBeAreRefused(host: String, port: Int) async throws {
        let server = server(ServerConfiguration(host: host, port: port))
        let error = await #expect(throws: StorageError.self) { try await server.start() }
        #expect(error?.code == .badParameter)
        await server.stop()
    }

    @Test func idleConnectionsEndAtOnce() async throws {
        try await TestServer.greeting { test in
            let client = try await test.connect()
            try await client.send(Self.request)
            _ = await client.all(until: "hello")
            let begin = ContinuousClock.now
            await test.server.stop(within: .seconds(100))
            #expect(ContinuousClock.now - begin < .seconds(50))
            #expect(await client.allUntilClosed().hasSuffix("hello"))
            await #expect(throws: (any Error).self) { try await test.connect() }
        }
    }

    @Test func streamsAreToldAndEndWell() async throws {
        let (begun, signal) = (Gate(), StopSignal())
        try await TestServer.with(signal: signal) { _, _ in
            Answer(
                status: .ok,
                body: .stream(length: nil) { sink in
                    try await sink.write(ByteBuffer(string: "row"))
                    begun.open()
                    await signal.whenStopping()
                    try await sink.write(ByteBuffer(string: "last_seq"))
                }
            )
        } run: { test in
            let client = try await test.connect()
            try await client.send(Self.request)
            await begun.opened()
            await test.server.stop(within: .seconds(100))
            #expect(await client.allUntilClosed().hasSuffix("3\r\nrow\r\n8\r\nlast_seq\r\n0\r\n\r\n"))
        }
    }

    @Test func anUploadMayEnd() async throws {
        let begun = Gate()
        try await TestServer.with { _, body in
            begun.open()
            let bytes = try? await body.all()
            return .text("<\(bytes?.count ?? -1)>")
        } run: { test in
            let client = try await test.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc")
            await begun.opened()
            async let stopped: Void = test.server.stop(within: .seconds(100))
            await test.server.stopSignal.whenStopping()
            try await client.send("def")
            let text = await client.allUntilClosed()
            #expect(text.hasSuffix("<6>") && text.contains("Connection: close\r\n"))
            await stopped
        }
    }

    @Test(arguments: ["GET", "PUT"])
    func whatTakesTooLongIsCut(method: String) async throws {
        let (begun, cancelled) = (Gate(), Gate())
        try await TestServer.with { _, body in
            begun.open()
            do {
                if method == "PUT" { _ = try await body.all() } else { try await Task.sleep(for: .seconds(1_000)) }
            } catch {
                cancelled.open()
            }
            return .text("late")
        } run: { test in
            let client = try await test.connect()
            try await client.send("\(method) / HTTP/1.1\r\nHost: a\r\n")
            try await client.send(method == "PUT" ? "Content-Length: 6\r\n\r\nabc" : "\r\n")
            await begun.opened()
            await test.server.stop(within: .milliseconds(50))
            #expect(await client.allUntilClosed().isEmpty)
            await cancelled.opened()
        }
    }

    @Test func aServiceEndsWithItsGroup() async throws {
        let server = server()
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: server)],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        )
        async let running: Void = group.run()
        let address = try await server.start()
        let client = try await RawClient.connect(to: address)
        await group.triggerGracefulShutdown()
        try await running
        #expect(await client.allUntilClosed().isEmpty)
    }

    @Test func aCancelledServiceEnds() async throws {
        let server = server()
        let address = try await server.start()
        let running = Task { try await server.run() }
        let client = try await RawClient.connect(to: address)
        running.cancel()
        try await running.value
        #expect(await client.allUntilClosed().isEmpty)
    }

    @Test func theSignalReachesEverybodyOnce() async {
        let signal = StopSignal()
        let cancelled = Task { await signal.whenStopping() }
        let waiting = (0..<10).map { _ in Task { await signal.whenStopping() } }
        cancelled.cancel()
        await cancelled.value
        #expect(!signal.isStopping)
        signal.stop()
        signal.stop()
        for task in waiting { await task.value }
        await signal.whenStopping()
        #expect(signal.isStopping)
    }
}
