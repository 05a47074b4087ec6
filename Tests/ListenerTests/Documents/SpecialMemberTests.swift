internal import Foundation
internal import HTTPTypes
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@testable internal import SetteeListener

/// Members of documents whose names begin with `_` and that clients may not send.
@Suite struct SpecialMemberTests {
    private static let reason = "Bad special document member: _x"

    @Test("one document with an unknown member is 400", arguments: ["/db/d", "/db/_local/d", "/db/_design/d"])
    func single(path: String) async throws {
        try await withListener(.memory) { bed in
            for (body, name) in [
                (#"{"_x":1}"#, "_x"), (#"{"a":1,"_rev":"1-a","_x":{}}"#, "_x"), (#"{"_":null}"#, "_"),
                (#"{"_attachments":{},"_x":[]}"#, "_x"),
            ] {
                let reply = try await bed.send(.put, path, body)
                #expect(reply.status == 400, "\(body)")
                #expect(try reply.object()["error"]?.stringValue == "doc_validation")
                #expect(try reply.object()["reason"]?.stringValue == "Bad special document member: \(name)")
            }
            #expect(try await bed.send(.get, path).status == 404)
        }
    }

    @Test("also by POST, with new_edits=false and in _bulk_docs")
    func others() async throws {
        try await withListener(.memory) { bed in
            let foreign = #"{"_id":"d","_rev":"1-a","_x":1}"#
            for (method, path) in [
                (HTTPRequest.Method.post, "/db"), (.put, "/db/d?new_edits=false"),
            ] {
                let reply = try await bed.send(method, path, foreign)
                #expect(reply.status == 400)
                #expect(try reply.object()["reason"]?.stringValue == SpecialMemberTests.reason)
            }
            for newEdits in [true, false] {
                let body = #"{"new_edits":\#(newEdits),"docs":[\#(foreign),{"_id":"e","_rev":"1-a"}]}"#
                let reply = try await bed.send(.post, "/db/_bulk_docs", body)
                #expect(reply.status == (newEdits ? 400 : 201))
                let told = try newEdits ? reply.object() : reply.rows()[0]
                #expect(told["error"]?.stringValue == "doc_validation")
                #expect(told["reason"]?.stringValue == SpecialMemberTests.reason)
                if !newEdits { #expect(told["id"] == "d" && told["rev"] == "1-a" && told["status"] == 400) }
            }
            #expect(try await bed.send(.get, "/db/d").status == 404)
        }
    }

    @Test("also in multipart/related")
    func related() async throws {
        try await withAttachments(.memory) { bed in
            let json = #"{"_attachments":{"a":{"follows":true}},"_x":1}"#
            let body = try message([(["Content-Type": "application/json"], Array(json.utf8)), ([:], Array("A".utf8))])
            let type = ["Content-Type": "multipart/related; boundary=\"b\""]
            let reply = await bed.send(.put, "/db/d", type, body)
            #expect(reply.status == 400)
            #expect(reply.json["error"] == "doc_validation")
            #expect(reply.json["reason"]?.stringValue == SpecialMemberTests.reason)
        }
    }

    @Test("what GET adds comes back, and malformed members are a bad request")
    func known() async throws {
        try await withListener(.memory) { bed in
            let revision = try await bed.put("d", #"{"n":1}"#)
            let read = try await bed.send(.get, "/db/d?meta=true&revs=true&local_seq=true&show_exp=true").text
            #expect(try await bed.send(.put, "/db/d", read).status == 201)
            for body in [#"{"_rev":1}"#, #"{"_deleted":"yes"}"#, #"{"_revisions":[]}"#, #"{"_id":7}"#] {
                let reply = try await bed.send(.put, "/db/e", body)
                #expect(try reply.object()["error"]?.stringValue == "bad_request", "\(body)")
            }
            // A name is not repeated at any length.
            let long = "_" + String(repeating: "x", count: 5_000)
            let reply = try await bed.send(.put, "/db/e", #"{"\#(long)":1}"#)
            #expect(try reply.object()["error"]?.stringValue == "doc_validation")
            #expect(reply.body.count < 500)
            #expect(revision.hasPrefix("1-"))
        }
    }
}
