internal import Settee
internal import SetteeDesignDocuments
internal import SetteeJavaScript
internal import SetteeTestSupport
internal import StorageProtocol
internal import Testing

@Suite struct DesignFilterTests {
    @Test func filtersSeeDocumentAndRequest() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.putDesign(
                "d",
                [
                    "filters": [
                        "own": "(doc, req) => { if (!doc.owner) throw 'none'; return doc.owner === req.query.name }"
                    ],
                    "views": ["v": ["map": "doc => { if (doc.owner) emit(doc.owner) }", "reduce": "_count"]],
                ]
            )
            let functions = bed.functions()
            let documents = [#"{"owner":"ida"}"#, #"{"owner":"bo"}"#, "{}"].map { bytes($0) }
            let own = try functions.filter("own", of: "d").accepts(
                documents,
                request: bytes(#"{"query":{"name":"ida"}}"#)
            )
            #expect(own == [.success(true), .success(false), .failure(.thrown("none"))])
            let emits = try functions.viewFilter("v", of: "d").accepts(documents, request: bytes("{}"))
            #expect(emits == [.success(true), .success(true), .success(false)])
            #expect(try functions.filter("own", of: "d").accepts([], request: bytes("{}")) == [])
        }
    }

    @Test("as a filter of the engine it sees ID, revision and deletion, and another source is another version")
    func revisionFilters() throws {
        try withDatabase(.memory) { (bed) throws in
            let source = "(doc, req) => doc._rev.startsWith('1-') && doc._id === req.query.id && !doc._deleted"
            try bed.putDesign("d", ["filters": ["f": .string(source), "g": "doc => { throw 'no' }"]])
            let functions = bed.functions()
            let (version, filter) = try functions.revisionFilter("f", of: "d")
            let revision = try bed.database["a"].put(["n": 1])
            #expect(try filter(revision, ["id": "a"]))
            #expect(try !filter(revision, ["id": "b"]))
            let (other, failing) = try functions.revisionFilter("g", of: "d")
            #expect(other != version)
            #expect(throws: JavaScriptError.thrown("no")) { try failing(revision, [:]) }
            #expect(try functions.revisionFilter("f", of: "d").version == version)
        }
    }

    @Test func filtersThatAreNotThere() throws {
        try withDatabase(.memory) { (bed) throws in
            let functions = bed.functions()
            expectDesignError(.missing("missing")) { try functions.filter("f", of: "d") }
            try bed.putDesign("d", ["filters": ["f": 1, "g": "doc =>"]])
            expectDesignError(.missing("missing json key: f")) { try functions.filter("f", of: "d") }
            expectDesignError(.missing("missing_named_view")) { try functions.viewFilter("f", of: "d") }
            #expect(throws: DesignError.self) { try functions.filter("g", of: "d") }
            try bed.putDesign("d", ["language": "erlang", "filters": ["f": "fun"]])
            expectDesignError(.unsupportedLanguage("erlang")) { try functions.filter("f", of: "d") }
        }
    }
}
