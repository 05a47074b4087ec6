internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Bodies of requests, through a socket.
@Suite(.timeLimit(.minutes(10))) struct BodyTests {
    /// Reads the body and answers its length, or the status of the error.
    private static let counting: TestServer.Handler = { _, body in
        do {
            var count = 0
            while let piece = try await body.next() { count += piece.readableBytes }
            return .text("<\(count) \(body.isFinished)>")
        } catch let error as CouchError {
            return .text("<failed>", HTTPResponse.Status(code: error.status))
        } catch {
            return .text("<\(error)>", .internalServerError)
        }
    }

    @Test func bodiesOfAnyLengthAreRead() async throws {
        try await TestServer.with(respond: Self.counting) { test in
            let client = try await test.connect()
            for (index, size) in [1, 4_095, 4_097, 65_536, 3_000_000].enumerated() {
                let head = "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n"
                client.beginSending(Array(head.utf8) + [UInt8](repeating: 7, count: size))
                let text = await client.all(until: "<", count: index + 1)
                #expect(text.hasSuffix("<\(size) true>"))
            }
        }
    }

    @Test func chunksOfAnySizeAreRead() async throws {
        try await TestServer.with(respond: Self.counting) { test in
            for size in [1, 3, 1_023, 1_025, 70_000] {
                let count = size < 10 ? 20_000 : 7
                let chunk = "\(String(size, radix: 16))\r\n\(String(repeating: "x", count: size))\r\n"
                let client = try await test.connect()
                client.beginSending(
                    Array("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n".utf8)
                        + Array((String(repeating: chunk, count: count) + "0\r\nX-Trailer: 1\r\n\r\n").utf8)
                )
                #expect(await client.allUntilClosed().hasSuffix("<\(size * count) true>"))
            }
        }
    }

    @Test func aBodyThatNobodyReadsIsNotTakenIn() async throws {
        let (begun, release) = (Gate(), Gate())
        try await TestServer.with { _, body in
            begun.open()
            await release.opened()
            return await Self.counting(
                ListenerRequest(head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)),
                body
            )
        } run: { test in
            let size = 64 << 20
            let client = try await test.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
            client.beginSending([UInt8](repeating: 7, count: size))
            await begun.opened()
            // Until nothing more comes in.
            var (last, same) = (-1, 0)
            while same < 20 {
                let now = test.server.figures.bytesIn
                same = now == last && now > 65_536 ? same + 1 : 0
                last = now
                try await Task.sleep(for: .milliseconds(5))
            }
            // 64 KiB, and what one round of reading the socket brings.
            #expect(last < 1 << 20)
            release.open()
            #expect(await client.all(until: ">").hasSuffix("<\(size) true>"))
        }
    }

    @Test func aRefusedBodyEndsTheConnectionUnread() async throws {
        try await TestServer.with { _, _ in
            .text("too much", .contentTooLarge)
        } run: { test in
            let size = 1 << 30
            let client = try await test.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
            client.beginSending([UInt8](repeating: 7, count: 1 << 20))
            let text = await client.allUntilClosed()
            #expect(text.hasPrefix("HTTP/1.1 413 ") && text.hasSuffix("too much"))
            #expect(text.contains("Connection: close\r\n"))
        }
    }

    @Test func aClientThatSendsOnIsCutInTime() async throws {
        var limits = ServerLimits()
        limits.lingerTime = .milliseconds(100)
        try await TestServer.with(limits) { _, _ in
            .text("too much", .contentTooLarge)
        } run: { test in
            let client = try await test.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
            _ = await client.allUntilClosed()
            while (try? await client.send([UInt8](repeating: 7, count: 65_536))) != nil {}
            #expect(test.server.figures.bytesIn < 1_000_000_000)
        }
    }

    @Test(arguments: ["\r\n\r\n0123456789", "\r\nX: y\r\n\r\n01234"])
    func aShortRestIsDiscardedAndTheConnectionKept(rest: String) async throws {
        try await TestServer.greeting { test in
            let client = try await test.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\(rest)")
            _ = await client.all(until: "hello")
            if rest.hasSuffix("01234") { try await client.send("56789") }
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let text = await client.all(until: "hello", count: 2)
            #expect(!text.contains("Connection: close") && !text.contains(" 400 "))
        }
    }

    @Test func aBodyThatEndsEarlyIsAnError() async throws {
        let error = Locked<CouchError?>(nil)
        let isGone = Gate()
        try await TestServer.with { _, body in
            do {
                _ = try await body.all()
            } catch let failure {
                error.withLock { $0 = failure as? CouchError }
            }
            await body.whenClientGone()
            isGone.open()
            return .text("late")
        } run: { test in
            let client = try await test.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
            await client.close()
            await isGone.opened()
            #expect(error.withLock { $0 }?.status == 400)
        }
    }

    @Test(arguments: ["zz\r\n", "5\r\nabcdefgh\r\n", "-1\r\n", "FFFFFFFFFFFFFFFFF\r\n", "3\r\nabc0\r\n\r\n"])
    func malformedChunksAreAnError(chunks: String) async throws {
        try await TestServer.with(respond: Self.counting) { test in
            let text = try await test.exchange(
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n\(chunks)"
            )
            #expect(text.hasPrefix("HTTP/1.1 400 ") && text.hasSuffix("<failed>"))
        }
    }

    @Test func aSlowBodyIsCut() async throws {
        var limits = ServerLimits()
        limits.bodyGrace = .milliseconds(50)
        limits.bodyRate = 1 << 40
        try await TestServer.with(limits, respond: Self.counting) { test in
            let text = try await test.exchange("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc")
            #expect(text.hasPrefix("HTTP/1.1 408 ") && text.hasSuffix("<failed>"))
        }
    }

    @Test func theClientIsAskedForTheBodyWhenTheHandlerReads() async throws {
        let release = Gate()
        try await TestServer.with { request, body in
            await release.opened()
            return await Self.counting(request, body)
        } run: { test in
            let client = try await test.connect()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            while test.server.figures.requests == 0 { await Task.yield() }
            #expect(client.received == 0)
            release.open()
            #expect(await client.all(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("abcGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = await client.allUntilClosed()
            #expect(text.contains("<3 true>HTTP/1.1 200 OK") && text.hasSuffix("<0 true>"))
        }
    }

    @Test func aHandlerThatRefusesSendsOnlyItsAnswer() async throws {
        try await TestServer.with { _, _ in
            .text("no", .unauthorized)
        } run: { test in
            let text = try await test.exchange(
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(text.hasPrefix("HTTP/1.1 401 ") && !text.contains(" 100 ") && text.contains("Connection: close"))
        }
    }
}
