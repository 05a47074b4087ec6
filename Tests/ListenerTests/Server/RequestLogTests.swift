internal import HTTPTypes
internal import InMemoryLogging
internal import Logging
internal import Settee
internal import SetteeTestSupport
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

    private struct Failure: Error {}

    // The answer promised that the log says why, and the log did not.
    @Test("a failure is answered without details, and the log has its kind")
    func failures() async throws {
        let log = InMemoryLogHandler()
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: .memory))
        let database = try manager.database(named: "db")
        let reduce = Reduce(version: "1") { _ in throw Failure() }
        try database.view("d/v").setMap(version: "1", reduce: reduce) { _, emit in emit(1, 1) }
        try database["a"].put([:])
        let core = ListenerCore(manager, logger: Logger(label: "test") { _ in log })
        let head = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/db/_design/d/_view/v")
        let reply = try await core.respond(ListenerRequest(head: head), BodyReader(bytes: [])).collected()
        #expect(reply.status == 500)
        #expect(!reply.text.contains("Failure"))
        let told = log.entries.filter { $0.level == .error }
        #expect(told.map { "\($0.metadata)" }.count { $0.contains("Failure") } == 1)
        await core.stop()
        try manager.close()
    }
}
