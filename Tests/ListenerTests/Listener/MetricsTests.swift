internal import CoreMetrics
internal import HTTPTypes
internal import MetricsTestKit
internal import Settee
internal import SetteeTestSupport
internal import Testing

@testable internal import SetteeListener

/// What a listener reports.
@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
    @Test("requests are counted by kind of route, method and class of status, and nothing names a database")
    func requests() async throws {
        let metrics = TestMetrics()
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: .memory))
        let core = ListenerCore(manager, metrics: ListenerMetrics(metrics))
        func send(_ method: HTTPRequest.Method, _ path: String, _ json: String = "") async throws -> Int {
            var head = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:5984", path: path)
            head.headerFields[.contentType] = "application/json"
            let answer = await core.respond(ListenerRequest(head: head), BodyReader(bytes: Array(json.utf8)))
            return try await answer.collected().status
        }
        #expect(try await send(.put, "/confidential") == 201)
        for number in 0..<3 { #expect(try await send(.put, "/confidential/d\(number)", "{}") == 201) }
        #expect(try await send(.put, "/confidential/d0", "{}") == 409)
        #expect(try await send(.get, "/confidential/_all_docs") == 200)
        #expect(try await send(.get, "/confidential/_changes?feed=longpoll") == 200)
        #expect(try await send(.init("BREW")!, "/confidential/d0") == 405)
        #expect(try await send(.get, "/_nothing") == 404)
        func count(_ route: String, _ method: String, _ status: String) throws -> Int64 {
            let dimensions = [("route", route), ("method", method), ("status", status)]
            return try metrics.expectCounter("settee_listener_requests", dimensions).totalValue
        }
        #expect(try count("db", "PUT", "2xx") == 1)
        #expect(try count("document", "PUT", "2xx") == 3)
        #expect(try count("document", "PUT", "4xx") == 1)
        #expect(try count("_all_docs", "GET", "2xx") == 1)
        #expect(try count("document", "OTHER", "4xx") == 1)
        #expect(try count("none", "GET", "4xx") == 1)
        let listing = [("route", "_all_docs"), ("method", "GET")]
        #expect(try metrics.expectTimer("settee_listener_request_duration", listing).values.count == 1)
        // A feed is counted, but the time it lasts is its client's.
        #expect(try count("_changes", "GET", "2xx") == 1)
        let feed = [("route", "_changes"), ("method", "GET")]
        #expect(try metrics.expectTimer("settee_listener_request_duration", feed).values.isEmpty)
        #expect(try metrics.expectTimer("settee_listener_lane_wait").values.count == 4)
        #expect(try metrics.expectRecorder("settee_listener_commit_writes").values == [1, 1, 1, 1])
        for counter in metrics.counters {
            for (_, value) in counter.dimensions { #expect(!value.contains("confidential")) }
        }
        try manager.close()
    }

    @Test("connections, bytes, feeds and refusals are reported")
    func connections() async throws {
        let metrics = TestMetrics()
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: .memory))
        var configuration = ListenerConfiguration()
        configuration.feeds = 0
        let listener = try Listener(manager: manager, configuration: configuration, metrics: metrics)
        try await listener.start()
        _ = try manager.database(named: "db")
        let address = BoundAddress(host: "127.0.0.1", port: try #require(listener.port))
        let request = "GET /db/_changes?feed=longpoll HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let client = try await RawClient.connect(to: address)
        try await client.send(request)
        let answer = await client.all(until: "\n")
        #expect(answer.hasPrefix("HTTP/1.1 503 "))
        try await client.send("nonsense\r\n\r\n")
        let all = await client.allUntilClosed()
        await client.close()
        await listener.stop()
        func refused(_ reason: String) throws -> Int64 {
            try metrics.expectCounter("settee_listener_refused", [("reason", reason)]).totalValue
        }
        #expect(try refused("feeds") == 1)
        #expect(try refused("requests") == 1)
        #expect(try refused("connections") == 0)
        #expect(try metrics.expectCounter("settee_listener_received_bytes").totalValue == request.utf8.count + 12)
        #expect(try metrics.expectCounter("settee_listener_sent_bytes").totalValue == all.utf8.count)
        #expect(try metrics.expectMeter("settee_listener_connections").lastValue == 0)
        try manager.close()
    }

    @Test("those that are kept are told to administrators in Prometheus' text format")
    func text() async throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, options: .init(storageType: .memory))
        let (given, kept) = (TestMetrics(), KeptMetrics())
        let metrics = ListenerMetrics(MultiplexMetricsHandler(factories: [given, kept]))
        let users = ListenerUsers.table([
            "ida": .init(password: "a long secret", roles: ["admin"]),
            "bo": .init(password: "a long secret", roles: ["writer"]),
        ])
        let access = AccessConfiguration(users: users)
        let core = ListenerCore(manager, access: access, metrics: metrics, keptMetrics: kept)
        func send(_ method: HTTPRequest.Method, _ path: String, _ login: String) async throws -> Reply {
            var head = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1:5984", path: path)
            head.headerFields[.authorization] = "Basic " + login
            return try await core.respond(ListenerRequest(head: head), BodyReader(bytes: [])).collected()
        }
        let (ida, bo) = ("aWRhOmEgbG9uZyBzZWNyZXQ=", "Ym86YSBsb25nIHNlY3JldA==")
        #expect(try await send(.put, "/db", ida).status == 201)
        #expect(try await send(.get, "/db", bo).status == 200)
        #expect(try await send(.get, "/db", bo).status == 200)
        #expect(try await send(.get, "/_node/_local/_prometheus", bo).status == 403)
        metrics.connections.set(7)
        metrics.commitWrites.record(2)
        metrics.commitWrites.record(3)
        metrics.laneWait.record(duration: .milliseconds(1_500))
        let reply = try await send(.get, "/_node/_local/_prometheus", ida)
        #expect(reply.status == 200)
        #expect(reply.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
        let lines = reply.text.split(separator: "\n").map(String.init)
        for line in [
            "# TYPE settee_listener_requests_total counter",
            #"settee_listener_requests_total{route="db",method="GET",status="2xx"} 2"#,
            #"settee_listener_requests_total{route="_prometheus",method="GET",status="4xx"} 1"#,
            "# TYPE settee_listener_connections gauge", "settee_listener_connections 7",
            "# TYPE settee_listener_commit_writes summary", "settee_listener_commit_writes_sum 5",
            "settee_listener_commit_writes_count 2", "settee_listener_lane_wait_seconds_sum 1.5",
            #"settee_listener_request_duration_seconds_count{route="db",method="GET"} 2"#,
            #"settee_listener_refused_total{reason="calls"} 0"#,
        ] { #expect(lines.contains(line), "\(line)") }
        // Each name has one line of its type, before its figures.
        let types = lines.filter { $0.hasPrefix("#") }
        #expect(Set(types).count == types.count)
        #expect(lines.first?.hasPrefix("# TYPE ") == true)
        // The program's own metrics have them, too.
        #expect(try given.expectMeter("settee_listener_connections").lastValue == 7)
        await core.stop()
        try manager.close()
    }
}
