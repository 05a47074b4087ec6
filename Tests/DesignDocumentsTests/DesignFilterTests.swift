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
