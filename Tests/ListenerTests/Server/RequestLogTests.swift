internal import Foundation
internal import HTTPTypes
internal import InMemoryLogging
internal import Logging
internal import Settee
internal import SetteeTestSupport
internal import Testing

@testable internal import SetteeListener

@Suite(.timeLimit(.minutes(10))) struct RequestLogTests {
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

    @Test(
        "of a database that is damaged the log names it, the reason and the line, at its default level",
        arguments: [StorageType.sqlite, .lmdb]
    )
    func damage(type: StorageType) async throws {
        let folder = try TemporaryFolder()
        let maker = try Manager(directory: folder.url, options: .init(storageType: type))
        try maker.database(named: "bad")["a"].put(["b": 1])
        try maker.close()
        let files = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true,
                file.lastPathComponent.hasPrefix("db.") || file.lastPathComponent.hasPrefix("data.")
            else { continue }
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: 16_384))
            try handle.close()
        }
        let log = InMemoryLogHandler()
        var logger = Logger(label: "test") { _ in log }
        logger.logLevel = .error
        let manager = try Manager(directory: folder.url, options: .init(storageType: type))
        let core = ListenerCore(manager, logger: logger)
        let head = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/bad/a")
        let reply = try await core.respond(ListenerRequest(head: head), BodyReader(bytes: [])).collected()
        #expect(reply.status == 500)
        #expect(!reply.text.contains("/") && !reply.text.contains("errno"), "\(reply.text)")
        let entry = try #require(log.entries.first { $0.level == .error })
        #expect(entry.metadata["database"] == "bad")
        #expect("\(entry.metadata["at"] ?? "")".contains(".swift:"))
        let reason = "\(entry.metadata["reason"] ?? "")"
        #expect(reason.contains(": ") && !reason.contains("CouchError"), "\(reason)")
        await core.stop()
        try manager.close()
    }
}
