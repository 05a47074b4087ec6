internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import Testing

@testable internal import SetteeListener

/// Databases as a whole, and the server.
@Suite struct DatabaseTests {
    @Test("the server says what it is")
    func server() async throws {
        try await withListener(.memory) { bed in
            let welcome = try await bed.send(.get, "/").object()
            #expect(welcome["couchdb"]?.stringValue == "Welcome")
            #expect(welcome["vendor"]?.objectValue?["name"]?.stringValue == "Settee")
            #expect(try await bed.send(.get, "/_up").object()["status"]?.stringValue == "ok")
            let uuids = try #require(try await bed.send(.get, "/_uuids?count=3").object()["uuids"]?.arrayValue)
            #expect(Set(uuids.compactMap(\.stringValue)).count == 3)
            #expect(try await bed.send(.get, "/_uuids?count=1001").status == 400)
            #expect(try await bed.send(.get, "/_uuids?count=x").status == 400)
            #expect(try await bed.send(.get, "/_active_tasks").json().arrayValue?.isEmpty == true)
            #expect(try await bed.send(.get, "/_config").status == 404)
            #expect(try await bed.send(.get, "/_session").object()["ok"]?.boolValue == true)
            let refused = try await bed.send(.post, "/_all_dbs", "{}")
            #expect(refused.status == 405)
            #expect(refused.headers[.allow] == "GET, HEAD")
        }
    }

    // CouchDB's default makes them so.
    @Test("IDs of _uuids are in order, of one answer and from one to the next, and are not kept by caches")
    func uuids() async throws {
        try await withListener(.memory) { bed in
            var all: [String] = []
            for _ in 0..<3 {
                let reply = try await bed.send(.get, "/_uuids?count=1000")
                #expect(reply.headers[.cacheControl] == "no-cache")
                #expect(reply.headers[HTTPField.Name("Pragma")!] == "no-cache")
                all += try #require(try reply.object()["uuids"]?.arrayValue).compactMap(\.stringValue)
            }
            #expect(all.count == 3_000 && Set(all).count == 3_000)
            #expect(all == all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
            #expect(
                all.allSatisfy { $0.utf8.count == 32 && $0.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) } }
            )
        }
    }

    // CouchDB reads these. They are in its list of differences.
    @Test("headers that name another method or host than the request's are not read")
    func otherHeaders() async throws {
        try await withListener(.memory) { bed in
            try await bed.put("a", "{}")
            let override = HTTPField.Name("X-HTTP-Method-Override")!
            #expect(try await bed.send(.post, "/db/a", "{}", headers: [override: "DELETE"]).status == 405)
            #expect(try await bed.send(.post, "/db", #"{"_id":"b"}"#, headers: [override: "DELETE"]).status == 201)
            let forwarded = HTTPField.Name("X-Forwarded-Host")!
            let reply = try await bed.send(.post, "/db", #"{"_id":"c"}"#, headers: [forwarded: "example.org"])
            #expect(reply.headers[.location] == "http://127.0.0.1:5984/db/c")
        }
    }

    @Test("databases are made, listed, described and deleted", arguments: ListenerBed.types)
    func life(type: StorageType) async throws {
        try await withListener(type) { bed in
            let made = try await bed.send(.put, "/other")
            #expect(made.status == 201)
            #expect(made.headers[.location] == "http://127.0.0.1:5984/other")
            let again = try await bed.send(.put, "/other")
            #expect(again.status == 412)
            #expect(try again.object()["error"]?.stringValue == "file_exists")
            #expect(try await bed.send(.put, "/Bad").object()["error"]?.stringValue == "illegal_database_name")
            #expect(try await bed.send(.get, "/_all_dbs").text == "[\"db\",\"other\"]\n")
            #expect(try await bed.send(.get, "/_all_dbs?descending=true&limit=1").text == "[\"other\"]\n")
            #expect(try await bed.send(.get, "/_all_dbs?startkey=%22e%22").text == "[\"other\"]\n")
            let info = try await bed.send(.get, "/other").object()
            #expect(info["db_name"]?.stringValue == "other")
            #expect(info["doc_count"]?.intValue == 0)
            #expect(info["doc_del_count"]?.intValue == 0)
            #expect(info["instance_start_time"]?.stringValue != nil)
            let both = try await bed.send(.post, "/_dbs_info", #"{"keys":["other","none"]}"#).json().arrayValue
            #expect(both?.first?.objectValue?["info"]?.objectValue?["db_name"]?.stringValue == "other")
            #expect(both?.last?.objectValue?["error"]?.stringValue == "not_found")
            // A document was meant.
            #expect(try await bed.send(.delete, "/other?rev=1-a").status == 400)
            #expect(try await bed.send(.delete, "/other").status == 200)
            let gone = try await bed.send(.get, "/other")
            #expect(gone.status == 404)
            #expect(try gone.object()["reason"]?.stringValue == "Database does not exist.")
            #expect(try await bed.send(.delete, "/other").status == 404)
            // Made anew, it is another database.
            #expect(try await bed.send(.put, "/other").status == 201)
            let later = try await bed.send(.get, "/other").object()
            #expect(later["instance_start_time"] != info["instance_start_time"])
        }
    }

    @Test("only one of many requests makes a database")
    func race() async throws {
        try await withListener(.sqlite) { bed in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await bed.send(.put, "/new").status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201] + [Int](repeating: 412, count: 7))
        }
    }

    @Test("_dbs_info tells of no database that _security keeps from the client")
    func closedDatabases() async throws {
        let users = ListenerUsers.table([
            "ida": .init(password: "a", roles: ["reader"]), "bob": .init(password: "b", roles: ["reader"]),
        ])
        try await withListener(.memory, access: AccessConfiguration(users: users)) { bed in
            try bed.database.info.set(#"{"members":{"names":["bob"],"roles":[]}}"#, for: "couchdb/_security")
            for (login, isMember) in [("Basic aWRhOmE=", false), ("Basic Ym9iOmI=", true)] {
                let row = try await bed.send(.get, "/_dbs_info", headers: [.authorization: login]).rows().first
                #expect((row?["info"] != nil) == isMember)
                #expect((row?["error"] == "forbidden") == !isMember)
            }
        }
    }

    @Test("settings, commits, compaction and purges", arguments: ListenerBed.types)
    func upkeep(type: StorageType) async throws {
        try await withListener(type) { bed in
            #expect(try await bed.send(.put, "/made").status == 201)
            #expect(try await bed.send(.get, "/made/_revs_limit").text == "1000\n")
            #expect(try await bed.send(.put, "/db/_revs_limit", "7").status == 200)
            #expect(try await bed.send(.put, "/db/_local/checkpoint", "{}").status == 201)
            #expect(try await bed.send(.get, "/db/_revs_limit").text == "7\n")
            #expect(try await bed.send(.put, "/db/_revs_limit", "0").status == 400)
            #expect(try await bed.send(.get, "/db/_security").text == "{}\n")
            let rules = #"{"admins":{"names":["ida"],"roles":[]},"members":{"names":[],"roles":["staff"]}}"#
            #expect(try await bed.send(.put, "/db/_security", rules).status == 200)
            #expect(try await bed.send(.get, "/db/_security").text == rules + "\n")
            let start = try await bed.send(.get, "/db").object()["instance_start_time"]
            let commit = try await bed.send(.post, "/db/_ensure_full_commit", "{}")
            #expect(commit.status == 201)
            #expect(try commit.object()["instance_start_time"] == start)
            #expect(try await bed.send(.post, "/db/_compact", "{}").status == 202)
            #expect(try await bed.send(.post, "/db/_view_cleanup", "{}").status == 202)
            let revision = try await bed.put("x", "{}")
            let kept = try await bed.send(.post, "/db/_purge", #"{"x":["1-0123456789abcdef0123456789abcdef"]}"#)
            #expect(try kept.object()["purged"]?.objectValue?["x"]?.arrayValue?.isEmpty == true)
            let purged = try await bed.send(.post, "/db/_purge", #"{"x":["\#(revision)"]}"#)
            #expect(purged.status == 201)
            #expect(try purged.object()["purged"]?.objectValue?["x"]?.arrayValue == [.string(revision)])
            #expect(try await bed.send(.get, "/db/x").status == 404)
            for (path, body) in [("_purge", "[]"), ("_purge", #"{"x":1}"#), ("_purge", #"{"x":["z"]}"#)] {
                #expect(try await bed.send(.post, "/db/\(path)", body).status == 400, "\(body)")
            }
        }
    }

    @Test("a read-only server changes nothing but checkpoints")
    func readOnly() async throws {
        var access = AccessConfiguration()
        access.isReadOnly = true
        try await withListener(.memory, access: access) { bed in
            for (method, path) in [
                (HTTPRequest.Method.put, "/new"), (.delete, "/db"), (.post, "/db"), (.put, "/db/x"), (.delete, "/db/x"),
                (.post, "/db/_bulk_docs"), (.post, "/db/_purge"), (.post, "/db/_compact"), (.put, "/db/_security"),
            ] {
                let reply = try await bed.send(method, path, #"{"docs":[]}"#)
                #expect(reply.status == 403, "\(method) \(path): \(reply.text)")
            }
            #expect(try await bed.send(.put, "/db/_local/checkpoint", "{}").status == 201)
            #expect(try await bed.send(.post, "/db/_revs_diff", "{}").status == 200)
            #expect(try await bed.send(.post, "/db/_all_docs", "{}").status == 200)
        }
    }

    @Test("a form of another site's page changes nothing")
    func contentType() async throws {
        try await withListener(.memory) { bed in
            for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
                for (method, path) in [
                    (HTTPRequest.Method.post, "/db"), (.post, "/db/_bulk_docs"), (.post, "/db/_purge"),
                    (.post, "/db/_compact"), (.post, "/db/_revs_diff"), (.post, "/db/_all_docs"),
                ] {
                    let reply = try await bed.send(method, path, #"{"docs":[]}"#, headers: [.contentType: type])
                    #expect(reply.status == 415, "\(method) \(path) \(type): \(reply.text)")
                }
            }
            #expect(try bed.database.documentCount == 0)
        }
    }
}
