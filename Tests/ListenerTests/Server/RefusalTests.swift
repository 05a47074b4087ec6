internal import HTTPTypes
internal import NIOCore
internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Requests that no handler sees.
@Suite(.timeLimit(.minutes(10))) struct RefusalTests {
    /// Requests whose end a proxy before the server may see elsewhere, and what else is no HTTP/1.1. After each comes
    /// one that must not be answered.
    private static let malformed = [
        // Content-Length
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 2\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\nx",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551617\r\n\r\nx",
        // Both, or Transfer-Encoding that is not chunked
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u{b}chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        // Lines
        "GET / HTTP/1.1\r\nHost: a\r\n X: folded\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: a\rContent-Length: 3\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX y: z\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n: z\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n",
        "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a\u{1}b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        "GET /\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u{16}\u{3}\u{1}\0\u{5}hello\r\n\r\n",
        "{}\r\n\r\n",
        // Host
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        // What this server does not do
        "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n",
    ]

    @Test(arguments: malformed.indices)
    func ambiguousRequestsAreRefused(index: Int) async throws {
        let isAsked = Gate()
        try await TestServer.with { _, _ in
            isAsked.open()
            return .text("asked")
        } run: { test in
            let text = try await test.exchange(Self.malformed[index] + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(text.prefixMatch(of: #/HTTP/1.1 (400|417|501) /#) != nil, "\(text)")
            #expect(text.contains("connection: close\r\n") && text.contains("{\"error\":"))
            #expect(text.matches(of: #/HTTP/1.1 \d/#).count == 1 && !isAsked.isOpen, "\(text)")
        }
    }

    @Test func whatFollowsAGoodRequestIsRefusedAfterItsAnswer() async throws {
        try await TestServer.greeting { test in
            let text = try await test.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n")
            #expect(text.contains("helloHTTP/1.1 400 "))
        }
    }

    @Test func longTargetsAreRefused() async throws {
        try await TestServer.greeting { test in
            let fitting = "/" + String(repeating: "x", count: 16_383)
            let head = "HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            #expect(try await test.exchange("GET \(fitting) \(head)").hasPrefix("HTTP/1.1 200 "))
            #expect(try await test.exchange("GET \(fitting)x \(head)").hasPrefix("HTTP/1.1 414 "))
            // Without an end.
            let client = try await test.connect()
            client.beginSending(Array("GET /".utf8) + [UInt8](repeating: 120, count: 1 << 20))
            #expect(await client.allUntilClosed().hasPrefix("HTTP/1.1 414 "))
        }
    }

    @Test func longHeadsAreRefused() async throws {
        try await TestServer.greeting { test in
            let long = String(repeating: "x", count: 31_000)
            let end = "\r\nConnection: close\r\n\r\n"
            let one = "GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\(end)"
            #expect(try await test.exchange(one).hasPrefix("HTTP/1.1 200 "))
            let two = "GET / HTTP/1.1\r\nHost: a\r\nX: \(long)\r\nY: \(long)\(end)"
            #expect(try await test.exchange(two).hasPrefix("HTTP/1.1 431 "))
            let many = "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X:y\r\n", count: 6_000))\r\n"
            #expect(try await test.exchange(many).hasPrefix("HTTP/1.1 431 "))
            // Without an end.
            let client = try await test.connect()
            client.beginSending(Array("GET / HTTP/1.1\r\nX: ".utf8) + [UInt8](repeating: 120, count: 1 << 20))
            #expect(await client.allUntilClosed().hasPrefix("HTTP/1.1 431 "))
        }
    }

    @Test func slowHeadsAreRefused() async throws {
        var limits = ServerLimits()
        limits.headTime = .milliseconds(50)
        try await TestServer.greeting(limits) { test in
            #expect(try await test.exchange("GET / HT").hasPrefix("HTTP/1.1 408 "))
            // Bytes that trickle in buy no time.
            let client = try await test.connect()
            try await client.send("GET / HTTP/1.1\r\n")
            while !client.isClosed {
                guard (try? await client.send("X: y\r\n")) != nil else { break }
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(await client.allUntilClosed().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test func randomBytesNeitherStopNorConfuseTheServer() async throws {
        let seed = UInt64.random(in: 0..<1 << 40)
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "GET ", "POST ", "/", "?", " HTTP/1.1", " HTTP/1.0", "\r\n", "\r\n", "\n", "\r", "Host: a",
            "Content-Length: ",
            "Transfer-Encoding: chunked", "Expect: 100-continue", "Connection: close", "5", "0", "\0", "\u{ff}", "x",
            ":",
        ]
        var limits = ServerLimits()
        limits.headTime = .milliseconds(20)
        limits.idleTime = .milliseconds(20)
        limits.bodyGrace = .milliseconds(20)
        limits.lingerTime = .milliseconds(20)
        try await TestServer.with(limits) { _, body in
            _ = try? await body.all()
            return .text("hello")
        } run: { test in
            for _ in 0..<150 {
                var text = Bool.random(using: &generator) ? "POST / HTTP/1.1\r\nHost: a\r\n" : ""
                for _ in 0..<Int.random(in: 0..<40, using: &generator) {
                    text += pieces.randomElement(using: &generator) ?? ""
                }
                let client = try await test.connect()
                try? await client.send(text)
                let answer = await client.allUntilClosed()
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1."), "seed \(seed)")
                await client.close()
            }
            let text = try await test.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(text.hasSuffix("hello"), "seed \(seed)")
        }
    }
}
