internal import HTTPTypes
internal import Settee
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// The listener answers as docs/openapi.yaml says.
@Suite struct OpenAPIAnswerTests {
    /// A request, and the status that it has.
    struct Example: Sendable {
        var status: Int
        var method: HTTPRequest.Method
        var path: String
        var json: String?
        var headers: HTTPFields = [:]

        init(
            _ status: Int,
            _ method: HTTPRequest.Method,
            _ path: String,
            _ json: String? = nil,
            _ headers: HTTPFields = [:]
        ) {
            (self.status, self.method, self.path, self.json, self.headers) = (status, method, path, json, headers)
        }
    }

    private static let text: HTTPFields = [.contentType: "text/plain"]
    private static let json: HTTPFields = [.accept: "application/json"]

    /// One after the other, to an empty database.
    private static let examples: [Example] = [
        Example(200, .get, "/"), Example(200, .head, "/"), Example(200, .get, "/_up"),
        Example(200, .get, "/_all_dbs"), Example(400, .get, "/_all_dbs?limit=x"),
        Example(200, .get, "/_dbs_info"), Example(200, .post, "/_dbs_info", #"{"keys":["db","none"]}"#),
        Example(400, .post, "/_dbs_info", "{}"), Example(415, .post, "/_dbs_info", "{}", text),
        Example(200, .get, "/_uuids?count=3"), Example(400, .get, "/_uuids?count=1001"),
        Example(200, .get, "/_active_tasks"), Example(200, .get, "/_session"), Example(200, .delete, "/_session"),
        Example(401, .post, "/_session", #"{"name":"ida","password":"wrong"}"#),
        Example(415, .post, "/_session", "name=ida", text), Example(501, .post, "/_replicate", "{}"),
        Example(501, .get, "/_node/_local/_prometheus"),
        // Databases.
        Example(201, .put, "/new"), Example(412, .put, "/new"), Example(400, .put, "/New"), Example(200, .get, "/new"),
        Example(400, .delete, "/new?rev=1-a"), Example(200, .delete, "/new"), Example(404, .delete, "/new"),
        Example(404, .get, "/new"), Example(200, .get, "/db"), Example(200, .head, "/db"),
        Example(403, .put, "/new", nil, [.origin: "http://elsewhere.example"]),
        // Documents.
        Example(201, .put, "/db/a", #"{"n":1}"#), Example(409, .put, "/db/a", "{}"), Example(400, .put, "/db/b", "["),
        Example(400, .put, "/db/b", #"{"_wrong":1}"#), Example(202, .put, "/db/b?batch=ok", "{}"),
        Example(412, .put, "/db/c", #"{"_attachments":{"t":{"stub":true,"digest":"md5-AAAAAAAAAAAAAAAAAAAAAA=="}}}"#),
        Example(201, .post, "/db", #"{"n":2}"#), Example(415, .post, "/db", "{}", text),
        Example(200, .get, "/db/a"), Example(200, .get, "/db/a?revs=true&meta=true&local_seq=true"),
        Example(404, .get, "/db/none"), Example(400, .get, "/db/a?rev=x"), Example(400, .post, "/db", #"{"_id":"_x"}"#),
        Example(200, .get, "/db/a?open_revs=all", nil, json), Example(200, .get, "/db/a?open_revs=all"),
        Example(200, .get, "/db/a?open_revs=[%222-b%22]", nil, json),
        Example(201, .copy, "/db/a", nil, [HTTPField.Name("Destination")!: "copy"]), Example(400, .copy, "/db/a"),
        Example(404, .copy, "/db/none", nil, [HTTPField.Name("Destination")!: "copy2"]),
        Example(409, .delete, "/db/b"), Example(404, .delete, "/db/none"),
        Example(201, .put, "/db/f?new_edits=false", #"{"_rev":"1-abc"}"#),
        Example(200, .delete, "/db/f?rev=1-abc"), Example(404, .get, "/db/f"),
        // Attachments.
        Example(201, .put, "/db/t/t.txt", "some text", text), Example(409, .put, "/db/t/t.txt", "other", text),
        Example(200, .get, "/db/t/t.txt"), Example(206, .get, "/db/t/t.txt", nil, [.range: "bytes=0-3"]),
        Example(416, .get, "/db/t/t.txt", nil, [.range: "bytes=100-"]), Example(404, .get, "/db/t/none"),
        Example(200, .get, "/db/t"), Example(200, .get, "/db/t?attachments=true"), Example(409, .delete, "/db/t/t.txt"),
        Example(415, .put, "/db/u/t.txt", "x", [.contentEncoding: "br"]),
        // Local documents and design documents.
        Example(201, .put, "/db/_local/l", "{}"), Example(200, .get, "/db/_local/l"),
        Example(404, .get, "/db/_local/none"), Example(200, .get, "/db/_local_docs?include_docs=true"),
        Example(200, .post, "/db/_local_docs", "{}"),
        Example(200, .post, "/db/_local_docs/queries", #"{"queries":[{"limit":1},{}]}"#),
        Example(201, .put, "/db/_design/d", #"{"language":"javascript"}"#), Example(200, .get, "/db/_design/d"),
        Example(201, .put, "/db/_design/e/t.txt", "some", text), Example(200, .get, "/db/_design/e/t.txt"),
        Example(200, .get, "/db/_design_docs"), Example(501, .get, "/db/_design/d/_show/f"),
        // All documents.
        Example(200, .get, "/db/_all_docs?include_docs=true&update_seq=true&conflicts=true"),
        Example(200, .get, "/db/_all_docs?keys=[%22a%22,%22none%22,1]"), Example(400, .get, "/db/_all_docs?key=x"),
        Example(200, .post, "/db/_all_docs", #"{"keys":["a"]}"#), Example(400, .post, "/db/_all_docs", "[]"),
        Example(200, .post, "/db/_all_docs/queries", #"{"queries":[{"limit":1},{"keys":["none"]}]}"#),
        Example(200, .post, "/db/_design_docs/queries", #"{"queries":[{}]}"#),
        Example(201, .post, "/db/_bulk_docs", #"{"docs":[{"_id":"a"},{"_id":"x"},{}]}"#),
        Example(400, .post, "/db/_bulk_docs", #"{"docs":[{"_id":"a"},{"_wrong":1}]}"#),
        Example(201, .post, "/db/_bulk_docs", #"{"docs":[{"_id":"y","_rev":"1-a","_wrong":1}],"new_edits":false}"#),
        Example(400, .post, "/db/_bulk_docs", "{}"), Example(415, .post, "/db/_bulk_docs", "{}", text),
        Example(417, .post, "/db/_bulk_docs", #"{"docs":[],"all_or_nothing":true}"#),
        // What replicators ask.
        Example(200, .post, "/db/_bulk_get", #"{"docs":[{"id":"a"},{"id":"none"},{"id":"a","rev":"x"}]}"#, json),
        Example(200, .post, "/db/_revs_diff", #"{"a":["2-b"],"none":["1-a"]}"#),
        Example(200, .post, "/db/_missing_revs", #"{"a":["2-b"]}"#), Example(400, .post, "/db/_revs_diff", #"{"a":1}"#),
        Example(200, .get, "/db/_changes?style=all_docs&include_docs=true"), Example(400, .get, "/db/_changes?feed=x"),
        Example(404, .get, "/db/_changes?filter=none"), Example(200, .post, "/db/_changes", #"{"limit":1}"#),
        Example(200, .post, "/db/_changes?filter=_selector", #"{"selector":{"n":1}}"#),
        Example(200, .get, "/db/_changes?feed=longpoll&timeout=1"),
        Example(200, .get, "/db/_changes?feed=continuous&timeout=1"),
        Example(200, .get, "/db/_changes?feed=eventsource&timeout=1"),
        Example(201, .post, "/db/_ensure_full_commit"),
        // The database as a whole.
        Example(202, .post, "/db/_compact", "{}"), Example(404, .post, "/db/_compact/none", "{}"),
        Example(415, .post, "/db/_compact", "{}", text), Example(202, .post, "/db/_view_cleanup", "{}"),
        Example(201, .post, "/db/_purge", #"{"y":["1-a"],"a":["1-x"]}"#),
        Example(400, .post, "/db/_purge", #"{"y":1}"#),
        Example(200, .get, "/db/_revs_limit"), Example(200, .put, "/db/_revs_limit", "20"),
        Example(400, .put, "/db/_revs_limit", "x"), Example(200, .get, "/db/_security"),
        Example(200, .put, "/db/_security", #"{"admins":{"names":["ida"]}}"#),
        Example(400, .put, "/db/_security", "[]"),
        // Queries.
        Example(200, .post, "/db/_index", #"{"index":{"fields":["n"]},"ddoc":"q","name":"i"}"#),
        Example(400, .post, "/db/_index", "{}"), Example(415, .post, "/db/_index", "{}", text),
        Example(501, .post, "/db/_index", #"{"index":{"fields":["n"]},"type":"text"}"#),
        Example(200, .get, "/db/_index"), Example(400, .get, "/db/_index?limit=0"),
        Example(200, .post, "/db/_find", #"{"selector":{"n":{"$gt":0}},"execution_stats":true}"#),
        Example(200, .post, "/db/_find", #"{"selector":{"x":1}}"#), Example(400, .post, "/db/_find", "{}"),
        Example(415, .post, "/db/_find", "{}", text),
        Example(501, .post, "/db/_find", #"{"selector":{},"partition":"p"}"#),
        Example(200, .post, "/db/_explain", #"{"selector":{"n":1}}"#), Example(400, .post, "/db/_explain", "{}"),
        Example(200, .post, "/db/_explain", #"{"selector":{},"sort":["x"]}"#),
        Example(415, .post, "/db/_explain", "{}", text),
        Example(200, .delete, "/db/_index/_design/q/json/i"), Example(404, .delete, "/db/_index/_design/q/json/i"),
        Example(200, .post, "/db/_index/_bulk_delete", #"{"docids":["q"]}"#),
        Example(400, .post, "/db/_index/_bulk_delete", "{}"), Example(501, .post, "/db/_search", "{}"),
    ]

    @Test("some dozens of requests have the statuses, headers and bodies that the file gives")
    func examples() async throws {
        let file = try OpenAPIFile()
        try await withListener(.sqlite) { bed in
            for example in OpenAPIAnswerTests.examples { try await send(example, to: bed, file) }
        }
    }

    /// With a replicator that has nothing to do.
    private static let ordered: [Example] = [
        Example(200, .post, "/_replicate", #"{"source":"db","target":"http://a.example/db"}"#),
        Example(202, .post, "/_replicate", #"{"source":"http://i:p@a.example/","target":"db","continuous":true}"#),
        Example(404, .post, "/_replicate", #"{"source":"none","target":"http://a.example/db"}"#),
        Example(404, .post, "/_replicate", #"{"replication_id":"x","cancel":true}"#),
        Example(400, .post, "/_replicate", "{}"), Example(415, .post, "/_replicate", "{}", text),
        Example(200, .get, "/_node/_local/_prometheus"), Example(200, .head, "/_node/_local/_prometheus"),
    ]

    @Test("where there are a replicator and metrics, they are answered as the file says")
    func replications() async throws {
        let file = try OpenAPIFile()
        let bed = try ListenerBed(.memory, keptMetrics: KeptMetrics(), replicator: FakeReplicator())
        for example in OpenAPIAnswerTests.ordered { try await send(example, to: bed, file) }
        await bed.core.stop()
        try bed.close()
        let working = try ListenerBed(.memory, replicator: FakeReplicator(endsAtOnce: false))
        try await send(OpenAPIAnswerTests.ordered[1], to: working, file)
        try await send(Example(200, .get, "/_active_tasks"), to: working, file)
        working.core.stopFeeds()
        await working.core.stop()
        try working.close()
    }

    private func send(_ example: Example, to bed: ListenerBed, _ file: OpenAPIFile) async throws {
        let (method, path) = (example.method, example.path)
        let reply = try await bed.send(method, path, example.json, headers: example.headers)
        #expect(reply.status == example.status, "\(method) \(path): \(reply.text)")
        let target = try RequestTarget(path)
        let template = try Route(target.segments).template(target)
        let operation = try #require(file.operation(method.rawValue, template), "\(method) \(path)")
        try expect(reply, operation, file, "\(method) \(path)")
    }

    @Test("where there are users, requests without a login are refused as the file says")
    func logins() async throws {
        let file = try OpenAPIFile()
        let users = ListenerUsers.table(["ida": .init(password: "a long secret", roles: ["reader"])])
        try await withListener(.memory, access: AccessConfiguration(users: users)) { bed in
            for operation in file.operations where operation.method != "HEAD" {
                let path = operation.path == "/" ? "/" : Route.sample(operation.path)
                let method = try #require(HTTPRequest.Method(operation.method))
                let wrong: HTTPFields = [.authorization: "Basic aWRhOng="]
                let reply = try await bed.send(
                    method,
                    path,
                    headers: ["/", "/_up", "/_session"].contains(path) ? wrong : [:]
                )
                #expect(reply.status == 401, "\(operation)")
                try expect(reply, operation, file, "\(operation)")
            }
        }
    }

    private func expect(
        _ reply: Reply,
        _ operation: OpenAPIFile.Operation,
        _ file: OpenAPIFile,
        _ request: String
    ) throws {
        let answer = try #require(
            operation.answers["\(reply.status)"]?.objectValue,
            "\(request) is answered \(reply.status), which the file has not."
        )
        let told = Set((answer["headers"]?.objectValue ?? JSONObject()).keys)
        for name in [
            "ETag", "Location", "Set-Cookie", "Content-Range", "Content-MD5", "Retry-After", "WWW-Authenticate",
        ] {
            guard reply.headers[HTTPField.Name(name)!] != nil else { continue }
            #expect(told.contains(name), "\(request) has the header \(name).")
        }
        guard !reply.body.isEmpty else { return }
        let type = (reply.headers[.contentType] ?? "").prefix { $0 != ";" }
        let contents = answer["content"]?.objectValue ?? JSONObject()
        let content = try #require(
            (contents[String(type)] ?? contents["*/*"])?.objectValue,
            "\(request) is \(type), which the file has not."
        )
        guard type == "application/json", let schema = content["schema"] else { return }
        let whole: JSONValue = ["allOf": [schema], "components": file.document["components"] ?? [:]]
        // Of a continuous feed each line is JSON.
        guard let value = try? reply.json() else {
            #expect(request.contains("feed=continuous"), "\(request) is no JSON: \(reply.text)")
            return
        }
        let failures = try JSONSchema(whole).failures(in: value, limit: 3).map(\.description)
        #expect(failures == [], "\(request): \(reply.text)")
    }
}
