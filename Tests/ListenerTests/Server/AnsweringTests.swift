internal import Foundation
internal import HTTPTypes
internal import NIOCore
internal import Testing

@testable internal import SetteeListener

/// Answers as they are on the wire.
@Suite(.timeLimit(.minutes(10))) struct AnsweringTests {
    private static let close = "Host: a\r\nConnection: close\r\n\r\n"

    @Test func aRequestIsHandedOverAndAnswered() async throws {
        try await TestServer.with { request, body in
            let thing = HTTPField.Name("X-Thing").flatMap { request.head.headerFields[$0] } ?? ""
            let path = request.head.path ?? ""
            let host = request.head.authority ?? ""
            return .text("\(request.head.method) \(path) \(host) \(thing) \(body.isFinished) \(request.isSecure)")
        } run: { test in
            let answer = try await test.exchange("GET /a%2Fb?c=d HTTP/1.1\r\nX-Thing: 1\r\n\(Self.close)")
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("\r\nConnection: close\r\n"))
            #expect(answer.contains("\r\nDate: "))
            #expect(answer.hasSuffix("\r\n\r\nGET /a%2Fb?c=d a 1 true false"))
        }
    }

    @Test func aConnectionIsUsedAgain() async throws {
        try await TestServer.greeting { test in
            let client = try await test.connect()
            for count in 1...3 {
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let text = await client.all(until: "hello", count: count)
                #expect(!text.contains("Connection"))
            }
            #expect(test.server.figures.totalConnections == 1)
            #expect(test.server.figures.requests == 3)
            #expect(test.server.figures.bytesOut == client.received)
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await TestServer.with { request, _ in
            // Later ones are done sooner.
            let path = request.head.path ?? ""
            for _ in 0..<(path.utf8.count % 7) { await Task.yield() }
            return .text("<\(path)>")
        } run: { test in
            let client = try await test.connect()
            let paths = (0..<1_000).map { "/\(String(repeating: "x", count: $0 % 11))\($0)" }
            client.beginSending(Array(paths.map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined().utf8))
            let text = await client.all(until: "<\(paths[999])>")
            #expect(text.matches(of: /<[^>]*>/).map { String($0.output) } == paths.map { "<\($0)>" })
        }
    }

    @Test func pipelinedBodiesAreTheirRequestsOwn() async throws {
        try await TestServer.with { _, body in
            .text("<\(String(decoding: (try? await body.all()) ?? [], as: UTF8.self))>")
        } run: { test in
            let client = try await test.connect()
            try await client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                    + "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"
                    + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
                    + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nConnection: close\r\n\r\ng"
            )
            let text = await client.allUntilClosed()
            #expect(text.matches(of: /<.*?>/).map { String($0.output) } == ["<abc>", "<def>", "<>", "<g>"])
        }
    }

    @Test func aClientThatClosesItsSideIsAnswered() async throws {
        try await TestServer.greeting { test in
            let client = try await test.connect()
            try await client.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 500))
            try await client.closeOutput()
            #expect(await client.allUntilClosed().matches(of: /hello/).count == 500)
        }
    }

    @Test func headHasTheLengthAndNoBody() async throws {
        let answers: [(Answer, String)] = [
            (.text("hello"), "Content-Length: 5\r\n"),
            (Answer(status: .ok), "Content-Length: 0\r\n"),
            (
                Answer(status: .ok, body: .stream(length: 7) { _ in Issue.record("was called") }),
                "Content-Length: 7\r\n"
            ),
            (
                Answer(status: .ok, body: .stream(length: nil) { _ in Issue.record("was called") }),
                "transfer-encoding: chunked\r\n"
            ),
        ]
        for (answer, header) in answers {
            try await TestServer.with { _, _ in
                answer
            } run: { test in
                let text = try await test.exchange(
                    "HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD / HTTP/1.1\r\n\(Self.close)"
                )
                let heads = text.components(separatedBy: "\r\n\r\n")
                #expect(heads.count == 3 && heads[2].isEmpty, "\(text)")
                #expect(heads[0].hasPrefix("HTTP/1.1 200 OK\r\n") && heads[1].hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect((heads[0] + "\r\n").contains(header), "\(text)")
            }
        }
    }

    @Test(arguments: [HTTPResponse.Status.noContent, .notModified])
    func someStatusesHaveNoBody(status: HTTPResponse.Status) async throws {
        try await TestServer.with { request, _ in
            request.head.path == "/stream"
                ? Answer(status: status, body: .stream(length: 3) { _ in Issue.record("was called") })
                : .text("hello", status)
        } run: { test in
            let text = try await test.exchange("GET /stream HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\(Self.close)")
            #expect(text.matches(of: #/HTTP/1.1 \d+ /#).count == 2 && text.hasSuffix("\r\n\r\n"))
            #expect(!text.lowercased().contains("content-length") && !text.contains("hello"))
        }
    }

    @Test func oldClientsAreAnsweredInTheirVersion() async throws {
        try await TestServer.with { request, _ in
            request.head.path == "/stream"
                ? Answer(
                    status: .ok,
                    body: .stream(length: nil) { sink in
                        for piece in ["he", "", "llo"] { try await sink.write(ByteBuffer(string: piece)) }
                    }
                ) : .text("hello")
        } run: { test in
            let plain = try await test.exchange("GET / HTTP/1.0\r\n\r\n")
            #expect(plain.hasPrefix("HTTP/1.0 200 OK\r\n") && plain.hasSuffix("\r\n\r\nhello"))
            let kept = try await test.exchange(
                "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
            )
            #expect(kept.contains("Connection: keep-alive\r\n\r\nhelloHTTP/1.0 200 OK\r\n"))
            #expect(kept.contains("Connection: close\r\n\r\nhello") && !kept.contains("chunked"))
        }
    }

    @Test func streamsAreSentInChunksOrWithTheirLength() async throws {
        try await TestServer.with { request, _ in
            Answer(
                status: .ok,
                body: .stream(length: request.head.path == "/length" ? 5 : nil) { sink in
                    for piece in ["he", "", "llo"] { try await sink.write(ByteBuffer(string: piece)) }
                }
            )
        } run: { test in
            let chunked = try await test.exchange("GET / HTTP/1.1\r\n\(Self.close)")
            #expect(chunked.hasSuffix("\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"))
            let plain = try await test.exchange("GET /length HTTP/1.1\r\n\(Self.close)")
            #expect(plain.contains("Content-Length: 5\r\n") && plain.hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test(arguments: ["/short", "/long", "/throws", "/chunks"])
    func aStreamThatEndsWronglyIsSeenToBeIncomplete(path: String) async throws {
        try await TestServer.with { request, _ in
            Answer(
                status: .ok,
                body: .stream(length: path == "/chunks" ? nil : 10) { sink in
                    try await sink.write(ByteBuffer(string: "hello"))
                    if path == "/long" { try await sink.write(ByteBuffer(string: "hello!")) }
                    if path == "/throws" || path == "/chunks" { throw CancellationError() }
                }
            )
        } run: { test in
            let client = try await test.connect()
            try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
            let text = await client.allUntilClosed()
            #expect(text.contains("hello"))
            #expect(!text.contains("!") && !text.contains("\r\n0\r\n"))
        }
    }

    @Test func handlersCannotWriteHeadersOfTheirOwn() async throws {
        try await TestServer.with { _, _ in
            var headers = HTTPFields()
            headers[.contentType] = "a\r\nX-Evil: 1\r\n\r\n\0b"
            headers[.contentLength] = "3"
            headers[.transferEncoding] = "gzip"
            headers[.connection] = "upgrade"
            let status = HTTPResponse.Status(code: 200, reasonPhrase: "OK\r\nX-Evil: 2")
            return Answer(status: status, headers: headers, body: .bytes(ByteBuffer(string: "hello")))
        } run: { test in
            let text = try await test.exchange("GET / HTTP/1.1\r\n\(Self.close)")
            #expect(!text.contains("\nX-Evil") && !text.contains("\0"))
            #expect(!text.contains("gzip") && !text.contains("upgrade"))
            #expect(text.matches(of: #/Content-Length: /#).count == 1 && text.hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test func informationalStatusesOfHandlersAreErrors() async throws {
        try await TestServer.with { _, _ in
            Answer(status: HTTPResponse.Status(code: 101))
        } run: { test in
            let text = try await test.exchange("GET / HTTP/1.1\r\n\(Self.close)")
            #expect(text.hasPrefix("HTTP/1.1 500 "))
        }
    }

    @Test func aRequestForAnotherProtocolIsAnsweredAndTheConnectionClosed() async throws {
        try await TestServer.greeting { test in
            let text = try await test.exchange(
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
            )
            #expect(text.contains("Connection: close\r\n") && text.hasSuffix("hello"))
        }
    }

    @Test(arguments: [
        ("http://a/b?c", "/b?c"), ("http://a", "/"), ("HTTPS://a?c", "/?c"), ("*", "*"), ("//a/b", "//a/b"),
    ])
    func targetsWithAHostAreReduced(target: String, path: String) async throws {
        try await TestServer.with { request, _ in
            .text("<\(request.head.path ?? "")>")
        } run: { test in
            let text = try await test.exchange("OPTIONS \(target) HTTP/1.1\r\n\(Self.close)")
            #expect(text.hasSuffix("<\(path)>"))
        }
    }

    @Test func theHostOfATargetCountsAndNotThatOfTheHeader() async throws {
        try await TestServer.with { request, _ in
            .text("<\(request.head.authority ?? "")>")
        } run: { test in
            for (target, host) in [("http://b:81/c", "b:81"), ("https://b", "b"), ("/c", "a")] {
                let text = try await test.exchange("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                #expect(text.hasSuffix("<\(host)>"), "\(target)")
            }
        }
    }

    @Test func theDateIsThatOfTheStandard() {
        #expect(AnswerDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(AnswerDate.format(0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    }
}
