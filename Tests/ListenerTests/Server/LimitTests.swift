internal import HTTPTypes
internal import NIOCore
internal import SetteeSystemLibrary
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// What a client can take of a server.
@Suite(.timeLimit(.minutes(10))) struct LimitTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func connectionsBeyondTheLimitAreToldAndClosed() async throws {
        var limits = ServerLimits()
        limits.connections = 2
        limits.lingerTime = .milliseconds(50)
        try await TestServer.greeting(limits) { test in
            let kept = [try await test.connect(), try await test.connect()]
            for (index, client) in kept.enumerated() {
                try await client.send(Self.request)
                #expect(await client.all(until: "hello").hasPrefix("HTTP/1.1 200 "), "\(index)")
            }
            let text = try await test.exchange(Self.request)
            #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("retry-after: ") && text.contains("\"error\""))
            #expect(test.server.figures.refusedConnections == 1)
            #expect(test.server.figures.requests == 2)
            // A place that is free is given away again.
            await kept[0].close()
            while test.server.figures.connections > 1 { try await Task.sleep(for: .milliseconds(1)) }
            let next = try await test.connect()
            try await next.send(Self.request)
            #expect(await next.all(until: "hello").hasPrefix("HTTP/1.1 200 "))
            await next.close()
            await kept[1].close()
            while test.server.figures.connections > 0 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(test.server.figures.totalConnections == 4)
        }
    }

    @Test func idleConnectionsAreClosed() async throws {
        var limits = ServerLimits()
        // On a busy machine a request takes a while.
        limits.idleTime = .seconds(20)
        try await TestServer.greeting(limits) { test in
            let silent = try await test.connect()
            let client = try await test.connect()
            try await client.send(Self.request)
            #expect(await client.allUntilClosed().hasSuffix("hello"))
            #expect(await silent.allUntilClosed().isEmpty)
        }
    }

    /// A connection is not idle while its request is being answered, however long that takes.
    @Test func aLongAnswerIsNotIdle() async throws {
        var limits = ServerLimits()
        // On a busy machine a request takes a while.
        limits.idleTime = .seconds(5)
        limits.headTime = .seconds(5)
        limits.bodyGrace = .seconds(5)
        try await TestServer.with(limits) { _, _ in
            try? await Task.sleep(for: .milliseconds(10_500))
            return .text("hello")
        } run: { test in
            let text = try await test.exchange(Self.request)
            #expect(text.hasSuffix("hello"))
        }
    }

    @Test(arguments: [true, false])
    func aReaderThatStallsIsCut(isStream: Bool) async throws {
        var limits = ServerLimits()
        limits.stalledTime = .milliseconds(100)
        let failure = Locked<(any Error)?>(nil)
        let isOver = Gate()
        try await TestServer.with(limits) { _, body in
            if !isStream {
                return Answer(status: .ok, body: .bytes(ByteBuffer(repeating: 7, count: 32 << 20)))
            }
            return Answer(
                status: .ok,
                body: .stream(length: nil) { sink in
                    defer { isOver.open() }
                    do {
                        while true { try await sink.write(ByteBuffer(repeating: 7, count: 100_000)) }
                    } catch {
                        failure.withLock { $0 = error }
                        throw error
                    }
                }
            )
        } run: { test in
            let client = try await test.connect(reads: false, receiveBuffer: 65_536)
            try await client.send(Self.request)
            if isStream {
                await isOver.opened()
                #expect(failure.withLock { $0 } != nil)
                #expect(test.server.figures.bytesOut < 32 << 20)
            }
            while test.server.figures.connections > 0 { try await Task.sleep(for: .milliseconds(1)) }
            await client.close()
        }
    }

    /// A reader that takes a little now and then is left alone, longer than one may stall.
    @Test func aSlowReaderIsNotStalled() async throws {
        var limits = ServerLimits()
        limits.stalledTime = .seconds(3)
        let size = 3 << 20
        try await TestServer.with(limits) { _, _ in
            Answer(
                status: .ok,
                body: .stream(length: size) { sink in
                    for _ in 0..<size / 65_536 { try await sink.write(ByteBuffer(repeating: 7, count: 65_536)) }
                }
            )
        } run: { test in
            let client = try await test.connect(reads: false, receiveBuffer: 65_536)
            try await client.send(Self.request)
            let begin = ContinuousClock.now
            while ContinuousClock.now - begin < .seconds(5) {
                client.readSome()
                try await Task.sleep(for: .milliseconds(150))
            }
            #expect(!client.isClosed)
            try await client.startReading()
            #expect(await client.all(atLeast: size) > size)
        }
    }

    @Test func manySlowReadersOfLongStreamsTakeBoundedMemory() async throws {
        let written = Locked(0)
        try await TestServer.with { _, _ in
            Answer(
                status: .ok,
                body: .stream(length: nil) { sink in
                    while true {
                        try await sink.write(ByteBuffer(repeating: 7, count: 65_536))
                        written.withLock { $0 += 65_536 }
                    }
                }
            )
        } run: { test in
            var clients: [RawClient] = []
            for _ in 0..<50 {
                let client = try await test.connect(reads: false, receiveBuffer: 65_536)
                try await client.send(Self.request)
                clients.append(client)
            }
            while test.server.figures.requests < 50 { try await Task.sleep(for: .milliseconds(1)) }
            var (last, same) = (-1, 0)
            while same < 20 {
                let now = written.withLock { $0 }
                same = now == last ? same + 1 : 0
                last = now
                try await Task.sleep(for: .milliseconds(10))
            }
            // What the system holds of each, and no piece beyond the one that is being written.
            let taken = test.server.figures.bytesOut - last
            #expect(last < 50 << 20)
            #expect(taken <= 50 * 66_000)
            for client in clients { await client.close() }
            while test.server.figures.connections > 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test func theWaitingHandlerLearnsThatItsClientHasGone() async throws {
        let (begun, gone) = (Gate(), Gate())
        try await TestServer.with { _, body in
            begun.open()
            await body.whenClientGone()
            gone.open()
            return .text("hello")
        } run: { test in
            let client = try await test.connect()
            try await client.send(Self.request)
            await begun.opened()
            #expect(!gone.isOpen)
            await client.close()
            await gone.opened()
        }
    }

    @Test func asManyConnectionsAsThereAreFiles() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #expect(OpenFileLimit.connections(wanted: 3) == 3)
        #expect(OpenFileLimit.connections(wanted: -1) == 1)
        #expect(OpenFileLimit.connections(wanted: .max) == max(1, Int(clamping: limit.rlim_cur) - 64))
    }
}
