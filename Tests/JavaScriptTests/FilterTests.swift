internal import SetteeJavaScript
internal import Testing

@Suite struct FilterTests {
    let worker = JavaScriptWorker()

    @Test func theGuidesFilter() throws {
        let source = """
            function (doc, req) {
                if (doc.type && doc.type == req.query.type) return true;
                if (doc.type == 'bad') throw new Error('bad document');
                return 0;
            }
            """
        let documents = [#"{"type":"mail"}"#, "{}", #"{"type":"bad"}"#, #"{"type":"mail"}"#].map(bytes)
        let request = bytes(#"{"query":{"type":"mail"}}"#)
        let outcomes = try worker.filter(function(source), documents, request: request)
        #expect(
            outcomes == [
                .success(true), .success(false), .failure(.thrown("Error: bad document (line 3)")), .success(true),
            ]
        )
    }

    @Test func whatIsTrueIsAsInJavaScript() throws {
        let values = ["0", "''", "null", "undefined", "NaN", "false", "'false'", "[]", "{}", "1"]
        for (number, value) in values.enumerated() {
            let outcomes = try worker.filter(function("() => (\(value))"), [bytes("{}")], request: bytes("{}"))
            #expect(outcomes == [.success(number >= 6)])
        }
    }
}
