internal import HTTPTypes
internal import InMemoryLogging
internal import Logging
internal import Testing

@testable internal import SetteeListener

@Suite(.timeLimit(.minutes(2))) struct RequestLogTests {
    @Test("the log has the method and the status of a request, and nothing of its path, headers and body")
    func requests() async throws {
        let log = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .trace
        let server = ListenerServer(ServerConfiguration(), logger: logger) { _, _ in .text("Zq") }
        let client = try await RawClient.connect(to: try await server.start())
        let head = "PUT /Zq/Zq%20a?Zq=Zq HTTP/1.1\r\nHost: Zq\r\nCookie: Zq\r\nConnection: close\r\n"
        try await client.send(head + "Content-Length: 2\r\n\r\nZq")
        #expect(await client.allUntilClosed().hasPrefix("HTTP/1.1 200 "))
        await server.stop(within: .zero)
        let told = log.entries.map { "\($0.message) \($0.metadata)" }
        #expect(told.contains { $0.contains("PUT") && $0.contains("200") })
        for text in told { #expect(!text.contains("Zq"), "\(text)") }
    }
}
