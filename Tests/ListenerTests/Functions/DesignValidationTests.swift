internal import Foundation
internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import Testing

@testable internal import SetteeListener

/// `validate_doc_update`, for each way in which documents are written.
@Suite(.timeLimit(.minutes(5))) struct DesignValidationTests {
    private let design: JSONObject = [
        "validate_doc_update": """
        function (doc, old, user, security) {
            if (doc.locked || old && old.locked) throw { forbidden: 'It is locked.' };
            if (doc.owner && doc.owner !== user.name) throw { unauthorized: 'Not yours, ' + user.name };
            if (doc.admin && user.roles.indexOf('_admin') < 0) throw { forbidden: user.db };
            if (doc.fails) throw new Error('It failed.');
            if (doc._attachments && doc._attachments.secret) throw { forbidden: 'No secrets.' };
        }
        """
    ]

    private func expectRefusal(_ reply: Reply, _ status: Int, _ error: String, _ reason: String) throws {
        #expect(reply.status == status, "\(reply.text)")
        #expect(try reply.object()["error"]?.stringValue == error)
        #expect(try reply.object()["reason"]?.stringValue == reason)
    }

    @Test("PUT, POST, DELETE and COPY", arguments: ListenerBed.types)
    func single(type: StorageType) async throws {
        try await withDesign(type, design) { bed in
            let locked = #"{"locked":true}"#
            try expectRefusal(await bed.send(.put, "/db/a", locked), 403, "forbidden", "It is locked.")
            try expectRefusal(await bed.send(.post, "/db", locked), 403, "forbidden", "It is locked.")
            let owned = #"{"owner":"bob"}"#
            try expectRefusal(await bed.send(.put, "/db/a", owned), 401, "unauthorized", "Not yours, null")
            let foreign = #"{"_rev":"1-abc","locked":true}"#
            let inserted = try await bed.send(.put, "/db/a?new_edits=false", foreign)
            try expectRefusal(inserted, 403, "forbidden", "It is locked.")
            #expect(try await bed.send(.get, "/db/a").status == 404)
            try await bed.put("fine", #"{"admin":true}"#)
            // What the app writes itself is not judged.
            let saved = try bed.database["kept"].put(["locked": true])
            let gone = try await bed.send(.delete, "/db/kept?rev=\(saved.id)")
            try expectRefusal(gone, 403, "forbidden", "It is locked.")
            let destination: HTTPFields = [HTTPField.Name("Destination")!: "copied"]
            let copied = try await bed.send(.copy, "/db/kept", headers: destination)
            try expectRefusal(copied, 403, "forbidden", "It is locked.")
            #expect(try await bed.send(.get, "/db/kept").status == 200)
            // Neither local nor design documents are judged.
            #expect(try await bed.send(.put, "/db/_local/x", locked).status == 201)
            #expect(try await bed.send(.put, "/db/_design/x", locked).status == 201)
        }
    }

    @Test("a function that fails lets nothing pass")
    func failing() async throws {
        try await withDesign(.sqlite, design) { bed in
            let reply = try await bed.send(.put, "/db/a", #"{"fails":true}"#)
            #expect(reply.status == 500)
            #expect(reply.text.contains("It failed."))
            let bulk = try await bed.send(.post, "/db/_bulk_docs", #"{"docs":[{"_id":"a","fails":true},{"_id":"b"}]}"#)
            #expect(try bulk.rows().map { $0["ok"]?.boolValue } == [nil, true])
            #expect(try await bed.send(.get, "/db/a").status == 404)
            #expect(try await bed.send(.get, "/db/b").status == 200)
        }
    }

    @Test("_bulk_docs has an outcome for each", arguments: ListenerBed.types)
    func bulk(type: StorageType) async throws {
        try await withDesign(type, design) { bed in
            let docs = #"{"docs":[{"_id":"a"},{"_id":"b","locked":true},{"_id":"c","owner":"bob"},{"_id":"d"}]}"#
            let rows = try await bed.send(.post, "/db/_bulk_docs", docs).rows()
            #expect(rows.map { $0["error"]?.stringValue } == [nil, "forbidden", "unauthorized", nil])
            #expect(rows.map { $0["reason"]?.stringValue } == [nil, "It is locked.", "Not yours, null", nil])
            #expect(rows.map { $0["status"]?.intValue } == [nil, 403, 401, nil])
            let foreign = """
                {"docs":[{"_id":"e","_rev":"1-a"},{"_id":"f","_rev":"1-a","locked":true}],"new_edits":false}
                """
            let refused = try await bed.send(.post, "/db/_bulk_docs", foreign).rows()
            #expect(refused.map { $0["id"]?.stringValue } == ["f"])
            #expect(refused[0]["reason"]?.stringValue == "It is locked.")
            let ids = try await bed.send(.get, "/db/_all_docs").rows("rows").map { $0["id"]?.stringValue }
            #expect(ids == ["_design/d", "a", "d", "e"])
        }
    }

    @Test("attachments", arguments: ListenerBed.types)
    func attachments(type: StorageType) async throws {
        try await withDesign(type, design) { bed in
            let text: HTTPFields = [.contentType: "text/plain"]
            let refused = try await bed.send(.put, "/db/a/secret", "hello", headers: text)
            try expectRefusal(refused, 403, "forbidden", "No secrets.")
            let stored = try await bed.send(.put, "/db/a/open", "hello", headers: text).object()
            let revision = try #require(stored["rev"]?.stringValue)
            let inline = #"{"_rev":"\#(revision)","_attachments":{"secret":{"data":"aGVsbG8="}}}"#
            try expectRefusal(await bed.send(.put, "/db/a", inline), 403, "forbidden", "No secrets.")
            let saved = try bed.database["kept"].put([
                "locked": true, "_attachments": ["f": ["data": "aGVsbG8=", "content_type": "text/plain"]],
            ])
            let deleted = try await bed.send(.delete, "/db/kept/f?rev=\(saved.id)")
            try expectRefusal(deleted, 403, "forbidden", "It is locked.")
        }
    }

    @Test("writes that are committed together are judged one by one, each for its user", arguments: ListenerBed.types)
    func together(type: StorageType) async throws {
        let users = ListenerUsers.table([
            "ida": .init(password: "a", roles: ["writer"]), "bob": .init(password: "b", roles: ["writer"]),
        ])
        try await withDesign(type, access: AccessConfiguration(users: users), design) { bed in
            let logins: [(String, String)] = [("ida", "Basic aWRhOmE="), ("bob", "Basic Ym9iOmI=")]
            let statuses = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let (name, login) = logins[number % 2]
                        let owner = number % 3 == 0 ? name : "ida"
                        let json = #"{"owner":"\#(owner)"}"#
                        let headers: HTTPFields = [.authorization: login]
                        let reply = try await bed.send(.put, "/db/d\(number)", json, headers: headers)
                        return (reply.status, owner == name)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (status, isOwn) in statuses { #expect(status == (isOwn ? 201 : 401)) }
            let headers: HTTPFields = [.authorization: "Basic aWRhOmE="]
            let reply = try await bed.send(.put, "/db/x", #"{"admin":true}"#, headers: headers)
            try expectRefusal(reply, 403, "forbidden", "db")
        }
    }

    @Test("without the program writes are refused, but for those that mend it")
    func unavailable() async throws {
        let missing = JavaScriptConfiguration(executable: "/nowhere/settee-js")
        try await withDesign(.sqlite, javaScript: missing, design) { bed in
            let reply = try await bed.send(.put, "/db/a", "{}")
            #expect(reply.status == 501)
            #expect(reply.text.contains("settee-js"))
            let bulk = try await bed.send(.post, "/db/_bulk_docs", #"{"docs":[{"_id":"a"}]}"#)
            #expect(bulk.text.contains("not_implemented"))
            #expect(try await bed.send(.put, "/db/_local/x", "{}").status == 201)
            let revision = try await bed.send(.get, "/db/_design/d").object()["_rev"]?.stringValue ?? ""
            #expect(try await bed.send(.delete, "/db/_design/d?rev=\(revision)").status == 200)
            #expect(try await bed.send(.put, "/db/a", "{}").status == 201)
        }
    }

    /// The function keeps a processor busy until its time is over.
    private static let loopTypes = isLong ? ListenerBed.types : [.sqlite]
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    @Test("a validation that loops holds up no other writer", arguments: loopTypes)
    func loop(type: StorageType) async throws {
        let looping: JSONObject = [
            "validate_doc_update": "function (doc, old) { if (doc.loops || old && old.loops) while (true) {} }"
        ]
        let slow = JavaScriptConfiguration(timeLimit: .seconds(10))
        try await withDesign(type, javaScript: slow, looping) { bed in
            try await bed.put("warm", "{}")
            async let loop = (bed.send(.put, "/db/loop", #"{"loops":true}"#), ContinuousClock.now)
            try await Task.sleep(for: .milliseconds(200))
            for number in 0..<10 { try await bed.put("x\(number)", "{}") }
            let written = ContinuousClock.now
            let (refused, ended) = try await loop
            // Beside other tests ten writes can take longer than the function may.
            #expect(written < ended || !Self.isLong)
            #expect(refused.status == 500)
            #expect(try await bed.send(.get, "/db/loop").status == 404)
        }
    }

    @Test("a write is judged again if the functions have changed meanwhile", arguments: ListenerBed.types)
    func changed(type: StorageType) async throws {
        let first = "function (doc) { for (var end = Date.now() + 1000; Date.now() < end;) {} }"
        let slow = JavaScriptConfiguration(timeLimit: .seconds(10))
        try await withDesign(type, javaScript: slow, ["validate_doc_update": .string(first)]) { bed in
            async let late = bed.send(.put, "/db/a", "{}")
            try await Task.sleep(for: .milliseconds(400))
            let revision = try #require(try bed.database["_design/d"].revision())
            try bed.database["_design/d"].put(
                [
                    "language": "javascript",
                    "validate_doc_update": "function (doc) { throw { forbidden: 'It is locked.' } }",
                ],
                parent: revision.id
            )
            let reply = try await late
            try expectRefusal(reply, 403, "forbidden", "It is locked.")
        }
    }
}
