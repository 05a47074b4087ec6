internal import SetteeJavaScript
internal import Testing

@Suite struct ReduceTests {
    let worker = JavaScriptWorker()

    @Test func keysHaveIDsAndRereduceHasNone() throws {
        let all = function("function (keys, values, rereduce) { return [keys, values, rereduce] }")
        let first = try worker.reduce(
            all,
            keys: [(bytes("[1]"), "a\"b"), (bytes("null"), "é")],
            values: [bytes("3"), bytes("{}")]
        )
        #expect(text(first) == #"[[[[1],"a\"b"],[null,"é"]],[3,{}],false]"#)
        #expect(text(try worker.reduce(all, keys: nil, values: [bytes("4"), bytes("5")])) == "[null,[4,5],true]")
        #expect(text(try worker.reduce(all, keys: [], values: [])) == "[[],[],false]")
    }

    @Test func theGuidesReductions() throws {
        let source = "function (keys, values, rereduce) { return rereduce ? sum(values) : values.length }"
        let values = (0..<10_000).map { bytes("\($0)") }
        let keys = values.map { (key: $0, id: "d") }
        #expect(text(try worker.reduce(function(source), keys: keys, values: values)) == "10000")
        #expect(text(try worker.reduce(function(source), keys: nil, values: values)) == "49995000")
    }

    @Test(arguments: [
        ("undefined", "null"), ("'x'", #""x""#), ("'\\ud800'", "\"\u{FFFD}\""), ("{b: 1, a: [2]}", #"{"a":[2],"b":1}"#),
    ])
    func returnsAnyValue(value: String, json: String) throws {
        let reduce = function("function (k, v) { return \(value) }")
        #expect(text(try worker.reduce(reduce, keys: nil, values: [])) == json)
    }

    @Test func errorsAreThrown() {
        let error = failure { () throws(JavaScriptError) in
            try worker.reduce(function("function () { throw new Error('reduce_overflow') }"), keys: nil, values: [])
        }
        #expect(error == .thrown("Error: reduce_overflow (line 1)"))
        let unreadable = failure { () throws(JavaScriptError) in
            try worker.reduce(function("v => 1"), keys: nil, values: [bytes("{")])
        }
        #expect(unreadable == .thrown("What the function was to be given is no JSON text."))
    }

    @Test func inputsHaveALimit() {
        let large = bytes("\"" + String(repeating: "x", count: 50 << 20) + "\"")
        let error = failure { () throws(JavaScriptError) in
            try worker.reduce(function("v => 1"), keys: nil, values: [large, large])
        }
        guard case .inputLimit = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
