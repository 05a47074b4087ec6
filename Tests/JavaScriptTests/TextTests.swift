internal import SetteeJavaScript
internal import Testing

@Suite struct TextTests {
    let worker = JavaScriptWorker()

    @Test(arguments: [
        #"{"a":"äöü ß 日本語 😀 \u0000\u001f\u2028","ключ":1}"#, #"{"__proto__":{"x":1},"constructor":2,"toString":3}"#,
        #"{"":1,"a\"b\\c":"\\ud800 \\\\ud800"}"#, #"{"a":[[],{},[[{}]],null,true,false,-1.5,1e+300]}"#,
        #"{"a":9007199254740991,"b":-9007199254740991,"c":0.1}"#, #""text""#, "[1,2]", "null", "-5",
    ])
    func comesBackAsItWas(document: String) throws {
        let canonical = try canonicalText(document)
        #expect(try worker.rows("doc => emit(doc, null)", [canonical]) == [.rows(["\(canonical): null"])])
    }

    @Test(arguments: [
        (#"'\ud800'"#, "\"\u{FFFD}\""), (#"'\udc00\ud800x'"#, "\"\u{FFFD}\u{FFFD}x\""), (#"'\ud83d\ude00'"#, "\"😀\""),
        (#"'\\ud800'"#, #""\\ud800""#), (#"'\\\ud800\\'"#, "\"\\\\\u{FFFD}\\\\\""),
        (#"{'\udfff': '\\\\ud9'}"#, "{\"\u{FFFD}\":\"\\\\\\\\ud9\"}"),
    ])
    func halfPairsBecomeReplacements(expression: String, json: String) throws {
        #expect(try worker.rows("doc => emit(\(expression), null)", ["{}"]) == [.rows(["\(json): null"])])
    }

    @Test func integersBeyondDoublesLosePrecision() throws {
        #expect(try worker.rows("doc => emit(doc, null)", ["9007199254740993"]) == [.rows(["9007199254740992: null"])])
    }

    @Test func hugeKeysAndManyMembers() throws {
        let key = String(repeating: "k", count: 5_000_000)
        let outcomes = try worker.map([function("doc => emit(doc.a, doc.a.length)")], [bytes(#"{"a":"\#(key)"}"#)])
        let row = try #require(try outcomes[0][0].get().first)
        #expect(row.key.count == 5_000_002 && text(row.value) == "5000000")
        #expect(row.key == bytes("\"\(key)\""))
        let members = (0..<50_000).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
        #expect(
            try worker.rows("doc => emit(Object.keys(doc).length, null)", ["{\(members)}"]) == [.rows(["50000: null"])]
        )
    }

    /// Documents are JSON by contract. If one is not, no other one suffers.
    @Test(arguments: ["{", "", "{}]", "{},{}", "{\"a\":\"\u{0}\"}", "nul", "]]]]", "{} //"])
    func whatIsNoJSONIsAnErrorOfItsDocument(bad: String) throws {
        let outcomes = try worker.rows("doc => emit(doc.n, null)", [#"{"n":1}"#, bad, #"{"n":3}"#])
        #expect(outcomes[0] == .rows(["1: null"]) && outcomes[2] == .rows(["3: null"]))
        guard case .error = outcomes[1] else {
            Issue.record("\(bad): \(outcomes[1])")
            return
        }
    }

    @Test func bytesThatAreNoText() throws {
        let outcomes = try worker.map(
            [function("doc => emit(doc.n, null)")],
            [bytes(#"{"n":1}"#), [0x22, 0xFF, 0xFE, 0x22]]
        )
        #expect(Outcome(outcomes[0][0]) == .rows(["1: null"]))
        #expect(throws: JavaScriptError.thrown("What the function was to be given is no JSON text.")) {
            try outcomes[0][1].get()
        }
    }
}
