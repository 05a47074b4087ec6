internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// The requests of CouchDB's replicator over several runs, by its description of the protocol. It writes each
/// checkpoint after the first with the `_rev` and `_revisions` that it has read.
@Suite struct CouchDBRunTests {
    private static let logID = "/db/_local/f2a1c7d4e5b60718293a4b5c6d7e8f90"

    /// The log of a session, as the replicator writes it over the one that it has read.
    private func log(_ session: Int, over old: JSONObject?) -> JSONObject {
        let entry: JSONValue = [
            "session_id": .string("session\(session)"), "start_last_seq": 0, "end_last_seq": JSONValue(session),
            "recorded_seq": JSONValue(session), "missing_checked": 1, "missing_found": 1, "docs_read": 1,
            "docs_written": 1, "doc_write_failures": 0,
        ]
        var log: JSONObject = [
            "_id": .string(String(Self.logID.dropFirst(4))), "session_id": .string("session\(session)"),
            "source_last_seq": JSONValue(session), "replication_id_version": 4,
            "history": .array([entry] + (old?["history"]?.arrayValue ?? [])),
        ]
        if let revision = old?["_rev"]?.stringValue {
            log["_rev"] = .string(revision)
            log["_revisions"] = ["start": 0, "ids": [.string(String(revision.dropFirst(2)))]]
        }
        return log
    }

    /// Reads the log, and writes that of another session.
    private func checkpoint(_ session: Int, _ bed: ListenerBed) async throws {
        let read = try await bed.send(.get, Self.logID)
        #expect(read.status == (session == 1 ? 404 : 200))
        let old = session == 1 ? nil : try read.object()
        let text = String(decoding: try log(session, over: old).canonicalBytes(), as: UTF8.self)
        let written = try await bed.send(.put, Self.logID, text)
        #expect(written.status == 201, "\(written.text)")
        #expect(try written.object()["rev"]?.stringValue == "0-\(session)")
        #expect(try await bed.send(.post, "/db/_ensure_full_commit", "{}").status == 201)
        let now = try await bed.send(.get, Self.logID).object()
        #expect(now["session_id"]?.stringValue == "session\(session)")
        #expect(now["history"]?.arrayValue?.count == session)
    }

    @Test("three runs into this database", arguments: ListenerBed.types)
    func target(_ type: StorageType) async throws {
        try await withListener(type) { bed in
            // An edit, a conflict, a deletion.
            let runs: [[(id: String, history: [String], deleted: Bool)]] = [
                [("a", ["1-a"], false), ("b", ["1-b"], false)],
                [("a", ["2-c", "1-a"], false), ("b", ["2-d", "1-b"], false), ("b", ["2-e", "1-b"], false)],
                [("a", ["3-f", "2-c", "1-a"], true), ("b", ["3-0", "2-e", "1-b"], false)],
            ]
            for (number, run) in runs.enumerated() {
                let wanted = Dictionary(grouping: run, by: \.id).mapValues {
                    JSONValue.array($0.map { .string($0.history[0]) })
                }
                let asked = JSONObject(wanted.map { ($0.key, $0.value) })
                let body = String(decoding: try asked.canonicalBytes(), as: UTF8.self)
                let missing = try await bed.send(.post, "/db/_revs_diff", body).object()
                #expect(missing.keys.count == wanted.count)
                let documents = run.map { revision -> JSONValue in
                    let start = Int(revision.history[0].prefix(1)) ?? 0
                    var document: JSONObject = [
                        "_id": .string(revision.id), "_rev": .string(revision.history[0]),
                        "_revisions": [
                            "start": JSONValue(start),
                            "ids": .array(revision.history.map { .string(String($0.dropFirst(2))) }),
                        ],
                        "run": JSONValue(number),
                    ]
                    if revision.deleted { document["_deleted"] = true }
                    return .object(document)
                }
                let bulk: JSONObject = ["new_edits": false, "docs": .array(documents)]
                let text = String(decoding: try bulk.canonicalBytes(), as: UTF8.self)
                let written = try await bed.send(.post, "/db/_bulk_docs", text)
                #expect(written.status == 201)
                #expect(try written.rows().isEmpty, "\(written.text)")
                try await checkpoint(number + 1, bed)
            }
            #expect(try await bed.send(.get, "/db/a").status == 404)
            let winner = try await bed.send(.get, "/db/b?conflicts=true").object()
            #expect(winner["_rev"] == "3-0")
            #expect(winner["_conflicts"] == ["2-d"])
        }
    }

    @Test("three runs out of this database, one of them continuous", arguments: ListenerBed.types)
    func source(_ type: StorageType) async throws {
        try await withListener(type) { bed in
            var since = "0"
            var revision: String?
            for session in 1...3 {
                let query = revision.map { "?rev=\($0)" } ?? ""
                if session == 3 {
                    revision = try await bed.send(.delete, "/db/a\(query)").object()["rev"]?.stringValue
                } else {
                    revision = try await bed.put("a\(query)", #"{"session":\#(session)}"#)
                }
                let feed = session == 2 ? "continuous&timeout=100" : "normal"
                let changes = try await bed.send(.get, "/db/_changes?feed=\(feed)&style=all_docs&since=\(since)")
                let rows = changes.text.split(separator: "\n").filter { $0.contains(#""changes":"#) }
                #expect(rows.count == 1, "\(changes.text)")
                #expect(changes.text.contains(try #require(revision)))
                since = try await bed.send(.get, "/db").object()["update_seq"].map { "\($0.intValue ?? 0)" } ?? ""
                let path = "/db/a?revs=true&open_revs=%5B%22\(try #require(revision))%22%5D&latest=true"
                let read = try await bed.send(.get, path, headers: [.accept: "application/json"]).rows()
                #expect(read.first?["ok"]?["_revisions"]?["ids"]?.arrayValue?.count == session)
                try await checkpoint(session, bed)
            }
        }
    }

    @Test("local documents are numbered as CouchDB's", arguments: ListenerBed.types)
    func numbers(_ type: StorageType) async throws {
        try await withListener(type) { bed in
            let path = "/db/_local/x"
            func put(_ json: String) async throws -> String? {
                let reply = try await bed.send(.put, path, json)
                return reply.status == 201 ? try reply.object()["rev"]?.stringValue : "\(reply.status)"
            }
            #expect(try await put("{}") == "0-1")
            #expect(try await put(#"{"_revisions":{"start":0,"ids":["1"]},"n":2}"#) == "0-2")
            // The history counts, as in CouchDB.
            #expect(try await put(#"{"_rev":"0-1","_revisions":{"start":0,"ids":["2"]}}"#) == "0-3")
            #expect(try await put(#"{"_rev":"0-1","_revisions":{"start":0,"ids":["1"]}}"#) == "409")
            #expect(
                try await put(#"{"_rev":"0-3","_attachments":{"a":{"data":"YWJj"},"b":{"stub":true}},"n":4}"#) == "0-4"
            )
            let read = try await bed.send(.get, path + "?revs=true").object()
            #expect(read["_revisions"] == ["start": 0, "ids": ["4"]])
            #expect(read["_attachments"] == nil)
            #expect(read["n"] == 4)
            #expect(try await bed.send(.get, path).object()["_revisions"] == nil)
            let deleted = try await bed.send(.delete, path + "?rev=0-4").object()
            #expect(deleted["rev"] == "0-0")
            #expect(try await put(#"{"_rev":"0-0","_revisions":{"start":0,"ids":["0"]}}"#) == "0-1")
            // In a batch, too.
            let bulk =
                #"{"docs":[{"_id":"_local/x","_revisions":{"start":0,"ids":["1"]},"_attachments":{"a":{"data":"YWJj"}}}]}"#
            #expect(try await bed.send(.post, "/db/_bulk_docs", bulk).rows().first?["rev"] == "0-2")
            let gone = #"{"docs":[{"_id":"_local/x","_rev":"0-2","_deleted":true}]}"#
            #expect(try await bed.send(.post, "/db/_bulk_docs", gone).rows().first?["rev"] == "0-0")
            #expect(try await bed.send(.get, path).status == 404)
        }
    }

    @Test("what the replicator writes into its documents is kept", arguments: ListenerBed.types)
    func replicationMembers(_ type: StorageType) async throws {
        try await withListener(type) { bed in
            let members =
                #""_replication_id":"a","_replication_state":"error","_replication_state_reason":"r","_replication_state_time":"t","_replication_stats":{"docs_read":1}"#
            let first = try await bed.put("rep", "{\(members),\"source\":\"x\"}")
            let read = try await bed.send(.get, "/db/rep").object()
            #expect(read["_replication_state"] == "error")
            #expect(read["_replication_stats"] == ["docs_read": 1])
            try await bed.put("rep", #"{"_rev":"\#(first)","_replication_state":"completed"}"#)
            let bulk = "{\"new_edits\":false,\"docs\":[{\"_id\":\"other\",\"_rev\":\"1-a\",\(members)}]}"
            #expect(try await bed.send(.post, "/db/_bulk_docs", bulk).rows().isEmpty)
            #expect(try await bed.send(.get, "/db/other").object()["_replication_id"] == "a")
            #expect(try await bed.send(.put, "/db/no", #"{"_replication_other":1}"#).status == 400)
        }
    }
}
