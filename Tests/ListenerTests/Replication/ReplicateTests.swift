internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// POST of `_replicate`, with a replicator that does nothing.
@Suite(.timeLimit(.minutes(10))) struct ReplicateTests {
    private func withReplicator(
        _ replicator: FakeReplicator?,
        access: AccessConfiguration = AccessConfiguration(),
        options: ListenerOptions = ListenerOptions(),
        _ body: (ListenerBed) async throws -> Void
    ) async throws {
        let bed = try ListenerBed(.memory, options: options, access: access, replicator: replicator)
        try await body(bed)
        bed.core.stopFeeds()
        await bed.core.stop()
        try bed.close()
    }

    private func send(_ bed: ListenerBed, _ json: String) async throws -> Reply {
        try await bed.send(.post, "/_replicate", json)
    }

    @Test("without a replicator it is 501")
    func missing() async throws {
        try await withReplicator(nil) { bed in
            let reply = try await send(bed, #"{"source":"db","target":"http://a.example/db"}"#)
            #expect(reply.status == 501)
        }
    }

    @Test("a replication to the end is answered with CouchDB's log")
    func oneShot() async throws {
        try await withReplicator(FakeReplicator()) { bed in
            let reply = try await send(bed, #"{"source":"db","target":"https://a.example/db"}"#)
            #expect(reply.status == 200, "\(reply.text)")
            let log = try reply.object()
            #expect(log["ok"] == true)
            #expect(log["session_id"] == "5e551011")
            #expect(log["source_last_seq"] == "7-opaque")
            #expect(log["no_changes"] == nil)
            let entry = try #require(try reply.rows("history").first)
            for (name, value) in [
                ("missing_checked", 6), ("missing_found", 5), ("docs_read", 4), ("docs_written", 3),
                ("doc_write_failures", 1), ("start_last_seq", 2),
            ] as [(String, Int64)] { #expect(entry[name]?.intValue == value, "\(name)") }
            #expect(entry["recorded_seq"] == "7-opaque")
            #expect(entry["start_time"]?.stringValue?.hasSuffix(" GMT") == true)
            #expect(try await bed.send(.get, "/_active_tasks").json() == [])
        }
    }

    // CouchDB's replicator writes into a target as the user, so that it is judged as other writes are.
    @Test("what a database here gets is checked and validated for the user")
    func targetValidation() async throws {
        let replicator = FakeReplicator()
        try await withReplicator(replicator) { bed in
            let judge = #"{"validate_doc_update":"doc => { if (doc.bad) throw {forbidden: 'No.'} }"}"#
            try await bed.put("_design/judge", judge)
            #expect(try await send(bed, #"{"source":"db","target":"http://a.example/db"}"#).status == 200)
            #expect(try await send(bed, #"{"source":"http://a.example/db","target":"db"}"#).status == 200)
            let orders = replicator.orders.withLock { $0 }
            #expect(orders[0].targetValidation == nil)
            let validation = try #require(try orders[1].targetValidation?())
            let database = try bed.database
            let bodies: [(String, JSONObject)] = [
                ("a", [:]), ("b", ["bad": true]), ("_design/a", ["views": ["v": ["map": "doc => {"]]]),
                ("_design/b", ["views": []]), ("_design/c", ["views": ["v": ["map": "doc => emit(1)"]]]),
            ]
            let revisions = try bodies.map { id, body in
                try ForeignRevision(
                    DocumentID(id),
                    json: body.canonicalBytes(),
                    history: [RevisionID("1-a")],
                    isDeleted: false
                )
            }
            let outcomes = try database.withValidation(validation) { () throws(StorageError) in
                try database.forceInsert(revisions)
            }
            let statuses = outcomes.map { outcome in if case .refused(let error) = outcome { error.status } else { 0 } }
            #expect(statuses == [0, 403, 400, 400, 0])
        }
    }

    @Test("the replicator gets what the client wants, and the login apart from the URL")
    func order() async throws {
        let replicator = FakeReplicator()
        try await withReplicator(replicator) { bed in
            let requests = [
                #"{"source":"HTTP://ida:a%3Asecret@a.example:5984/db/","target":"db","filter":"d/f","#
                    + #""query_params":{"k":1}}"#,
                #"{"source":"db","target":{"url":"http://[::1]:1/x","auth":{"basic":{"username":"i","password":"p"}},"#
                    + #""headers":{"X-A":"b"}},"doc_ids":["a","b"],"create_target":true}"#,
                #"{"source":{"url":"db"},"target":"new","create_target":true,"selector":{"n":1},"continuous":null}"#,
            ]
            for request in requests {
                let reply = try await send(bed, request)
                #expect(reply.status == 200, "\(reply.text)")
            }
        }
        let orders = replicator.orders.withLock { $0 }
        try #require(orders.count == 3)
        guard case .remote(let first) = orders[0].source, case .database(_, "db") = orders[0].target else {
            Issue.record("The sides are wrong.")
            return
        }
        #expect(first.url == "http://a.example:5984/db/")
        #expect(first.user == "ida")
        #expect(first.password == "a:secret")
        #expect(orders[0].filter == "d/f")
        #expect(orders[0].parameters == ["k": 1])
        #expect(!orders[0].createsTarget && !orders[0].isContinuous)
        guard case .remote(let second) = orders[1].target else {
            Issue.record("The target is wrong.")
            return
        }
        #expect(second.url == "http://[::1]:1/x")
        #expect(second.user == "i")
        #expect(second.headers.map(\.name) == ["X-A"])
        #expect(orders[1].documentIDs == ["a", "b"])
        #expect(orders[1].createsTarget)
        guard case .database(_, "new") = orders[2].target else {
            Issue.record("The target was not made.")
            return
        }
        #expect(orders[2].selector == ["n": 1])
    }

    @Test(
        "what is no order is refused before anything is sent",
        arguments: [
            (400, "[]"), (400, "{}"), (400, #"{"source":"db"}"#), (400, #"{"source":"db","target":1}"#),
            (400, #"{"source":"http://a.example/a","target":"http://a.example/b"}"#),
            (400, #"{"source":"db","target":"file:///etc"}"#), (400, #"{"source":"db","target":"ftp://a.example/"}"#),
            (400, #"{"source":"db","target":"http://"}"#), (400, #"{"source":"db","target":"http://ida@/db"}"#),
            (400, #"{"source":"db","target":"http://a.example/db?x"}"#),
            (400, #"{"source":"db","target":"http://a.example/\r\nX: y"}"#),
            (400, #"{"source":"db","target":"http://a%zz@a.example/db"}"#),
            (400, #"{"source":"db","target":{"url":"http://a.example/db","headers":{"A b":"c"}}}"#),
            (400, #"{"source":"db","target":{"url":"http://a.example/db","headers":{"A":"c\r\nB: d"}}}"#),
            (400, #"{"source":"db","target":{"url":"http://a.example/db","auth":{"basic":{}}}}"#),
            (400, #"{"source":"db","target":"http://a.example/db","continuous":1}"#),
            (400, #"{"source":"db","target":"http://a.example/db","doc_ids":[1]}"#),
            (400, #"{"source":"db","target":"http://a.example/db","doc_ids":["a"],"selector":{}}"#),
            (404, #"{"source":"db","target":"none"}"#), (400, #"{"source":"db","target":"None"}"#),
            (404, #"{"source":"none","target":"db"}"#),
            (404, #"{"source":"db","target":"http://a.example/db","cancel":true}"#),
        ] as [(Int, String)]
    )
    func refused(status: Int, request: String) async throws {
        let replicator = FakeReplicator()
        try await withReplicator(replicator) { bed in
            let reply = try await send(bed, request)
            #expect(reply.status == status, "\(reply.text)")
        }
        #expect(replicator.orders.withLock { $0.count } == 0)
    }

    @Test("whoever waits for one that is cancelled is told so, and not that all is replicated")
    func cancelled() async throws {
        let replicator = FakeReplicator(endsAtOnce: false)
        try await withReplicator(replicator) { bed in
            let order = #""source":"http://a.example/db","target":"db""#
            async let waiting = send(bed, "{\(order)}")
            while replicator.orders.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
            async let cancel = send(bed, "{\(order),\"cancel\":true}")
            try await Task.sleep(for: .milliseconds(50))
            replicator.replications.withLock { $0[0].end() }
            #expect(try await cancel.status == 200)
            #expect(try await waiting.status == 500)
            #expect(try await waiting.text.contains("cancelled"))
        }
    }

    @Test("a continuous one runs once, is a task without its password, and ends when it is cancelled")
    func continuous() async throws {
        let replicator = FakeReplicator(endsAtOnce: false)
        try await withReplicator(replicator) { bed in
            let order = #""source":"http://ida:secret@a.example/db","target":"db","continuous":true"#
            let first = try await send(bed, "{\(order)}")
            #expect(first.status == 202, "\(first.text)")
            let second = try await send(bed, "{\(order)}")
            #expect(second.text == first.text)
            #expect(replicator.orders.withLock { $0.count } == 1)
            let id = try #require(try first.object()["_local_id"]?.stringValue)
            #expect(id.hasSuffix("+continuous"))
            let tasks = try await bed.send(.get, "/_active_tasks")
            let task = try #require(try tasks.rows().first)
            #expect(task["type"] == "replication")
            #expect(task["replication_id"]?.stringValue == id)
            #expect(task["source"] == "http://a.example/db")
            #expect(task["target"] == "db")
            #expect(task["database"] == "db")
            #expect(task["continuous"] == true)
            #expect(task["docs_written"] == 3)
            #expect(task["checkpointed_source_seq"] == "7-opaque")
            #expect(!tasks.text.contains("secret"))
            let cancelled = try await send(bed, "{\(order),\"cancel\":true}")
            #expect(cancelled.status == 200)
            #expect(cancelled.text == first.text)
            #expect(try await bed.send(.get, "/_active_tasks").json() == [])
            #expect(try await send(bed, "{\(order),\"cancel\":true}").status == 404)
            #expect(try await send(bed, "{\(order)}").status == 202)
            #expect(try await send(bed, #"{"replication_id":"\#(id)","cancel":true}"#).status == 200)
        }
    }

    @Test("a second request for the same does not get the log of the first, which may have begun too early")
    func again() async throws {
        let replicator = FakeReplicator(endsAtOnce: false)
        try await withReplicator(replicator) { bed in
            let order = #"{"source":"db","target":"http://a.example/db"}"#
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<2 { group.addTask { try await self.send(bed, order).status } }
                for number in 0..<2 {
                    try await eventually { replicator.replications.withLock { $0.count } == number + 1 }
                    replicator.replications.withLock { $0[number] }.end()
                }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test("a stop of the listener ends replications, and those who wait are told")
    func stop() async throws {
        let replicator = FakeReplicator(endsAtOnce: false)
        try await withReplicator(replicator) { bed in
            #expect(try await send(bed, #"{"source":"db","target":"http://a/","continuous":true}"#).status == 202)
            async let waiting = send(bed, #"{"source":"db","target":"http://a/"}"#)
            try await eventually { replicator.replications.withLock { $0.count } == 2 }
            bed.core.stopFeeds()
            #expect(try await waiting.status == 503)
            #expect(try await send(bed, #"{"source":"db","target":"http://b/","continuous":true}"#).status == 503)
        }
    }

    @Test("too many are refused")
    func limit() async throws {
        var options = ListenerOptions()
        options.replications = 1
        try await withReplicator(FakeReplicator(endsAtOnce: false), options: options) { bed in
            let first = try await send(bed, #"{"source":"db","target":"http://a/","continuous":true}"#)
            #expect(first.status == 202)
            let second = try await send(bed, #"{"source":"db","target":"http://b/","continuous":true}"#)
            #expect(second.status == 503)
        }
    }

    @Test(
        "why it cannot go on is told by status and reason",
        arguments: [
            (.notFound, 404, "db_not_found"), (.unauthorized, 401, "unauthorized"), (.rejected, 403, "forbidden"),
            (.unexpected, 500, "replication_failed"),
        ] as [(StorageError.Code, Int, String)]
    )
    func failure(code: StorageError.Code, status: Int, name: String) async throws {
        try await withReplicator(FakeReplicator(failure: StorageError(code, "The reason."))) { bed in
            let reply = try await send(bed, #"{"source":"db","target":"http://a.example/db"}"#)
            #expect(reply.status == status)
            #expect(try reply.object() == ["error": .string(name), "reason": "The reason."])
        }
    }

    @Test("only administrators may order one, and nobody from a read-only listener or a page of another site")
    func rights() async throws {
        let users = ListenerUsers.table(["ida": .init(password: "a long secret", roles: ["writer"])])
        let replicator = FakeReplicator()
        let order = #"{"source":"db","target":"http://a.example/db"}"#
        try await withReplicator(replicator, access: AccessConfiguration(users: users)) { bed in
            let nobody = try await send(bed, order)
            #expect(nobody.status == 401)
            let login: HTTPFields = [.authorization: "Basic aWRhOmEgbG9uZyBzZWNyZXQ="]
            let reply = try await bed.send(.post, "/_replicate", order, headers: login)
            #expect(reply.status == 403)
        }
        var access = AccessConfiguration()
        access.isReadOnly = true
        try await withReplicator(replicator, access: access) { bed in
            let refused = try await send(bed, order)
            #expect(refused.status == 403)
        }
        try await withReplicator(replicator) { bed in
            let page: HTTPFields = [.origin: "http://elsewhere.example"]
            let fromPage = try await bed.send(.post, "/_replicate", order, headers: page)
            #expect(fromPage.status == 403)
            let form: HTTPFields = [.contentType: "text/plain"]
            let fromForm = try await bed.send(.post, "/_replicate", order, headers: form)
            #expect(fromForm.status == 415)
        }
        #expect(replicator.orders.withLock { $0.count } == 0)
    }
}
