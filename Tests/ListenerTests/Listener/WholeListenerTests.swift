internal import Foundation
internal import Settee
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// A listener as an app has it, over real connections.
@Suite(.timeLimit(.minutes(5))) struct WholeListenerTests {
    private struct Bed {
        let folder: TemporaryFolder
        let manager: Manager
        let listener: Listener

        init(_ type: StorageType, _ configuration: ListenerConfiguration = ListenerConfiguration()) throws {
            folder = try TemporaryFolder()
            manager = try Manager(directory: folder.url, options: .init(storageType: type))
            listener = try Listener(manager: manager, configuration: configuration)
        }

        func connect() async throws -> RawClient {
            try await RawClient.connect(to: BoundAddress(host: "127.0.0.1", port: try #require(listener.port)))
        }

        /// Sends one request on a connection of its own, and returns all that comes.
        func send(_ method: String, _ path: String, _ json: String = "") async throws -> String {
            let client = try await connect()
            try await client.send(
                "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)"
            )
            return await client.allUntilClosed()
        }

        func end() async throws {
            await listener.stop()
            try manager.close()
        }
    }

    @Test("documents go in and out", arguments: ListenerBed.types)
    func documents(type: StorageType) async throws {
        let bed = try Bed(type)
        #expect(bed.listener.url == nil)
        try await bed.listener.start()
        #expect(bed.listener.url == "http://127.0.0.1:\(bed.listener.port ?? 0)/")
        #expect(try await bed.send("GET", "http://evil.example/_all_dbs").hasPrefix("HTTP/1.1 403 "))
        #expect(try await bed.send("PUT", "/db").hasPrefix("HTTP/1.1 201 "))
        #expect(try await bed.send("PUT", "/db/a", #"{"n":1}"#).hasPrefix("HTTP/1.1 201 "))
        #expect(try await bed.send("GET", "/db/a").contains(#""n":1}"#))
        let head = try await bed.send("HEAD", "/db/a")
        #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"))
        #expect(try await bed.send("GET", "/db/_all_docs").contains(#""id":"a""#))
        #expect(try await bed.send("GET", "/db/none").hasPrefix("HTTP/1.1 404 "))
        // The app sees what clients wrote, and they see what it writes.
        let database = try #require(try bed.manager.existingDatabase(named: "db"))
        #expect(try database["a"].properties?["n"]?.intValue == 1)
        try database["b"].put(["n": 2])
        #expect(try await bed.send("GET", "/db/b").contains(#""n":2}"#))
        try await bed.end()
        await #expect(throws: StorageError.self) { try await bed.listener.start() }
    }

    @Test("writes of many clients share commits, and each has an outcome of its own", arguments: ListenerBed.types)
    func manyWriters(type: StorageType) async throws {
        let bed = try Bed(type)
        try await bed.listener.start()
        #expect(try await bed.send("PUT", "/db").hasPrefix("HTTP/1.1 201 "))
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<64 {
                // Each document is written twice; one of the two is a conflict.
                group.addTask { try await bed.send("PUT", "/db/d\(number / 2)", "{}") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { $0.hasPrefix("HTTP/1.1 201 ") } == 32)
        #expect(answers.count { $0.hasPrefix("HTTP/1.1 409 ") } == 32)
        let database = try #require(try bed.manager.existingDatabase(named: "db"))
        #expect(try database.documentCount == 32)
        #expect(try database.check().map(\.description) == [])
        try await bed.end()
    }

    @Test("a stop ends feeds with their last sequence, and nothing waits for it")
    func stop() async throws {
        let bed = try Bed(.sqlite)
        try await bed.listener.start()
        #expect(try await bed.send("PUT", "/db").hasPrefix("HTTP/1.1 201 "))
        var feeds: [RawClient] = []
        for feed in ["longpoll", "continuous", "longpoll"] {
            let client = try await bed.connect()
            try await client.send("GET /db/_changes?feed=\(feed)&heartbeat=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            feeds.append(client)
            _ = await client.all(until: "200 OK")
        }
        let began = ContinuousClock.now
        // Feeds with heartbeats have no end of their own, and tests beside this one may take the threads for seconds.
        await bed.listener.stop(within: .seconds(1000))
        #expect(ContinuousClock.now - began < .seconds(500))
        for feed in feeds { #expect(await feed.allUntilClosed().contains(#""last_seq":0"#)) }
        try bed.manager.close()
    }

    @Test("a feed whose client has gone leaves its place to another at once")
    func goneClient() async throws {
        var configuration = ListenerConfiguration()
        configuration.feeds = 1
        let bed = try Bed(.memory, configuration)
        try await bed.listener.start()
        #expect(try await bed.send("PUT", "/db").hasPrefix("HTTP/1.1 201 "))
        let request = "GET /db/_changes?feed=continuous&heartbeat=60000 HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let client = try await bed.connect()
        try await client.send(request)
        _ = await client.all(until: "200 OK")
        #expect(try await bed.send("GET", "/db/_changes?feed=continuous").hasPrefix("HTTP/1.1 503 "))
        await client.close()
        try await eventually {
            let other = try await bed.connect()
            try await other.send(request)
            let answer = await other.all(until: "\r\n\r\n")
            await other.close()
            return answer.hasPrefix("HTTP/1.1 200 ")
        }
        try await bed.end()
    }

    @Test("one that is stopped right after its start runs to its end without an error")
    func stoppedAtOnce() async throws {
        let bed = try Bed(.memory)
        try await bed.listener.start()
        await bed.listener.stop()
        try await bed.listener.run()
        try bed.manager.close()
    }

    @Test("another address needs users, or the explicit word that it does not")
    func address() throws {
        let error = #expect(throws: StorageError.self) {
            try Bed(.memory, ListenerConfiguration(host: "0.0.0.0"))
        }
        #expect(error?.code == .badParameter)
        var access = AccessConfiguration()
        access.allowsAnyone = true
        _ = try Bed(.memory, ListenerConfiguration(host: "0.0.0.0", access: access))
        access = AccessConfiguration(users: .table(["ida": .init(password: "a long secret", roles: ["reader"])]))
        _ = try Bed(.memory, ListenerConfiguration(host: "0.0.0.0", access: access))
    }

    @Test("a port that is in use is an error that says so")
    func portInUse() async throws {
        let bed = try Bed(.memory)
        try await bed.listener.start()
        let other = try Bed(.memory, ListenerConfiguration(port: try #require(bed.listener.port)))
        await #expect { try await other.listener.start() } throws: { error in
            (error as? StorageError)?.code == .inUse
        }
        try await other.end()
        try await bed.end()
    }
}
