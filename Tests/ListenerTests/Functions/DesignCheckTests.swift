internal import HTTPTypes
internal import Settee
internal import SetteeDocumentValues
internal import SetteeJavaScript
internal import Testing

@testable internal import SetteeListener

/// What is refused when a design document is written.
@Suite(.timeLimit(.minutes(5))) struct DesignCheckTests {
    static let broken = #""views":{"v":{"map":"doc => {"}}"#
    static let invalid = #""views":[]"#

    private func expect(_ reply: Reply, _ error: String) throws {
        #expect(reply.status == 400, "\(reply.text)")
        #expect(try reply.object()["error"]?.stringValue == error)
    }

    @Test("a design document that does not compile is refused", arguments: ListenerBed.types)
    func refused(type: StorageType) async throws {
        try await withListener(type) { bed in
            try expect(await bed.send(.put, "/db/_design/a", "{\(Self.broken)}"), "compilation_error")
            try expect(await bed.send(.put, "/db/_design/a", "{\(Self.invalid)}"), "invalid_design_doc")
            try expect(await bed.send(.post, "/db", #"{"_id":"_design/a",\#(Self.broken)}"#), "compilation_error")
            let docs =
                #"{"docs":[{"_id":"_design/a",\#(Self.broken)},{"_id":"b",\#(Self.broken)},"#
                + #"{"_id":"_design/c",\#(Self.invalid)},{"_id":"_design/d"}]}"#
            let outcomes = try await bed.send(.post, "/db/_bulk_docs", docs).rows()
            #expect(outcomes.map { $0["error"]?.stringValue } == ["compilation_error", nil, "invalid_design_doc", nil])
            let copy = try await bed.send(
                .init("COPY")!,
                "/db/b",
                headers: [HTTPField.Name("Destination")!: "_design/x"]
            )
            try expect(copy, "compilation_error")
            #expect(try await bed.send(.get, "/db/_design/a").status == 404)
        }
    }

    // CouchDB checks what a replicator brings, too (`prep_and_validate_replicated_updates`).
    @Test("what was made elsewhere is refused as well, with its revision", arguments: ListenerBed.types)
    func replicated(type: StorageType) async throws {
        try await withListener(type) { bed in
            let docs =
                #"{"new_edits":false,"docs":[{"_id":"_design/a","_rev":"1-a",\#(Self.broken)},"#
                + #"{"_id":"_design/b","_rev":"1-b",\#(Self.invalid)},{"_id":"_design/c","_rev":"1-c","views":{}},"#
                + #"{"_id":"d","_rev":"1-d",\#(Self.broken)}]}"#
            let outcomes = try await bed.send(.post, "/db/_bulk_docs", docs).rows()
            #expect(outcomes.map { $0["error"]?.stringValue } == ["compilation_error", "invalid_design_doc"])
            #expect(outcomes.map { $0["rev"]?.stringValue } == ["1-a", "1-b"])
            #expect(outcomes.map { $0["id"]?.stringValue } == ["_design/a", "_design/b"])
            let path = "/db/_design/a?new_edits=false"
            try expect(await bed.send(.put, path, #"{"_rev":"1-a",\#(Self.broken)}"#), "compilation_error")
            #expect(try await bed.send(.put, path, #"{"_rev":"1-a","views":{}}"#).status == 201)
            #expect(try await bed.send(.get, "/db/_all_docs").rows("rows").count == 3)
        }
    }

    @Test("without JavaScript no function is compiled")
    func unchecked() async throws {
        try await withListener(.memory, javaScript: JavaScriptConfiguration(executable: "/none")) { bed in
            try await bed.put("_design/a", "{\(Self.broken)}")
            try expect(await bed.send(.put, "/db/_design/b", "{\(Self.invalid)}"), "invalid_design_doc")
        }
    }

    @Test("a module that does not compile is an error of the view")
    func module() async throws {
        try await withListener(.memory) { bed in
            try await bed.put("a", "{}")
            let views =
                #"{"lib":{"x":"(;","y":"module.exports = 1"},"v":{"map":"doc => emit(require('views/lib/x'))"},"#
                + #""w":{"map":"doc => emit(require('views/lib/y'))"}}"#
            try await bed.put("_design/d", #"{"views":\#(views)}"#)
            try expect(await bed.send(.get, "/db/_design/d/_view/v"), "compilation_error")
            let rows = try await bed.send(.get, "/db/_design/d/_view/w").rows("rows")
            #expect(rows.map { $0["key"]?.intValue } == [1])
        }
    }
}
