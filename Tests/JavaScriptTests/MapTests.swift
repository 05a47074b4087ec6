internal import SetteeJavaScript
internal import Testing

/// What CouchDB's guide says of map functions.
@Suite struct MapTests {
    let worker = JavaScriptWorker()

    @Test func emitsRowsInOrder() throws {
        let source = """
            function (doc) {
                if (doc.date && doc.title) {
                    emit(doc.date, doc.title);
                    emit([doc.date, 1], {title: doc.title, b: 1, a: 2});
                }
            }
            """
        let outcomes = try worker.rows(source, [#"{"date":"2009/01/30","title":"Biking"}"#, #"{"title":"x"}"#])
        #expect(
            outcomes == [
                .rows([#""2009/01/30": "Biking""#, #"["2009/01/30",1]: {"a":2,"b":1,"title":"Biking"}"#]), .rows([]),
            ]
        )
    }

    @Test(arguments: [
        ("emit()", "null: null"),
        ("emit(undefined, undefined)", "null: null"),
        ("emit(doc._id)", #""x": null"#),
        ("emit(null, function () {})", "null: null"),
        ("emit(NaN, Infinity)", "null: null"),
        ("emit(new Date(0), -0)", #""1970-01-01T00:00:00.000Z": 0"#),
        ("emit([undefined], {a: undefined})", "[null]: {}"),
        ("emit(sum([1, 2, 3]), isArray([]))", "6: true"),
        ("emit(toJSON({a: [1]}), typeof Math.random())", #""{\"a\":[1]}": "number""#),
        ("emit(1e20, 18446744073709551615)", "100000000000000000000: 18446744073709552000"),
        ("emit(-1e20, [-9223372036854775809 - 4096])", "-100000000000000000000: [-9223372036854780000]"),
        ("log('x'); emit(new Date(2020, 0, 1).getTimezoneOffset(), 1e21)", "0: 1e+21"),
    ])
    func makesJSONAsCouchDBDoes(body: String, row: String) throws {
        #expect(try worker.rows("function (doc) { \(body) }", [#"{"_id":"x"}"#]) == [.rows([row])])
    }

    @Test(arguments: [
        "doc => emit(1, 2)", "(doc) => { emit(1, 2); };", "\n\nfunction map(doc) { emit(1, 2) } ; \n",
        "function (doc) { emit(1, 2) } // a comment", "/* a */ function (doc) { emit(1, 2) }",
        "(function () { return function (doc) { emit(1, 2) } })()", "async doc => { emit(1, 2) }",
    ])
    func takesEveryFormOfFunction(source: String) throws {
        #expect(try worker.rows(source, ["{}"]) == [.rows(["1: 2"])])
    }

    @Test func severalFunctionsSeeWhatWasStored() throws {
        let changing = function("function (doc) { doc.n.push(2); emit(doc.n, null); delete doc.n }")
        let reading = function("function (doc) { emit(doc.n, null) }")
        let outcomes = try worker.map([changing, reading, changing], [bytes(#"{"n":[1]}"#)]).map {
            $0.map(Outcome.init)
        }
        #expect(outcomes == [[.rows(["[1,2]: null"])], [.rows(["[1]: null"])], [.rows(["[1,2]: null"])]])
    }

    @Test func moreFunctionsThanSlots() throws {
        let functions = (0..<70).map { function("function (doc) { emit(\($0), doc.a) }") }
        for _ in 0..<2 {
            let outcomes = try worker.map(functions, [bytes(#"{"a":7}"#), bytes("{}")]).map { $0.map(Outcome.init) }
            #expect(outcomes == (0..<70).map { [.rows(["\($0): 7"]), .rows(["\($0): null"])] })
        }
    }

    @Test func anErrorIsForItsDocumentAlone() throws {
        let source = """
            function (doc) {
                emit(1, null);
                if (doc.a === 1) throw new Error('no');
                if (doc.a === 2) throw 'text';
                if (doc.a === 3) throw {secret: doc};
                if (doc.a === 4) throw null;
                if (doc.a === 5) doc.b.c;
                emit(doc.a, null);
            }
            """
        let outcomes = try worker.rows(source, (0..<7).map { #"{"a":\#($0)}"# })
        #expect(outcomes[0] == .rows(["1: null", "0: null"]))
        #expect(outcomes[1].thrown == "Error: no (line 3)")
        #expect(outcomes[2].thrown == "text")
        #expect(outcomes[3].thrown == "An object was thrown that is no Error.")
        #expect(outcomes[4].thrown == "null")
        #expect(outcomes[5].thrown?.hasPrefix("TypeError: ") == true)
        #expect(outcomes[6] == .rows(["1: null", "6: null"]))
    }

    @Test func anErrorTakesBackRowsThatWereSentAlready() throws {
        let source = """
            function (doc) {
                for (let i = 0; i < 3000; i++) emit(i, 'x'.repeat(100));
                if (doc.bad) throw new Error('late');
            }
            """
        let outcomes = try worker.rows(source, ["{}", #"{"bad":true}"#, "{}", #"{"bad":true}"#, #"{"bad":true}"#])
        let rows = (0..<3000).map { "\($0): \"\(String(repeating: "x", count: 100))\"" }
        #expect(outcomes[0] == .rows(rows) && outcomes[2] == .rows(rows))
        for number in [1, 3, 4] { #expect(outcomes[number].thrown == "Error: late (line 3)") }
    }

    @Test(arguments: [
        ("throw 'fatal_error'", "map_runtime_error", "function raised 'fatal_error'"),
        ("throw ['fatal', 'no_more', 'It is enough.']", "no_more", "It is enough."),
        ("throw ['fatal', 'a\\nb', 'c\\nd']", "a", "c\nd"), ("throw ['fatal']", "undefined", "undefined"),
    ])
    func aFatalErrorEndsTheCall(body: String, name: String, reason: String) throws {
        let source = "function (doc) { emit(1, null); if (doc.a) { \(body) } }"
        for documents in [[#"{"a":1}"#], (0..<250).map { #"{"a":\#($0 == 120)}"# }] {
            #expect(throws: JavaScriptError.fatal(name: name, reason: reason)) { try worker.rows(source, documents) }
        }
        let reduce = function("function (keys, values) { \(body) }")
        #expect(throws: JavaScriptError.fatal(name: name, reason: reason)) {
            _ = try worker.reduce(reduce, keys: [(bytes("1"), "a")], values: [bytes("1")])
        }
        #expect(try worker.rows("doc => emit(1)", ["{}"]) == [.rows(["1: null"])])
    }

    @Test(arguments: [
        "throw ['error', 'x', 'y']", "throw 'fatal'", "throw Object.defineProperty([], 0, {get() { throw 1 }})",
    ])
    func otherErrorsAreForTheirDocuments(body: String) throws {
        let outcomes = try worker.rows("function (doc) { emit(1, null); if (doc.a) { \(body) } }", [#"{"a":1}"#, "{}"])
        #expect(outcomes[0].thrown != nil && outcomes[1] == .rows(["1: null"]))
    }

    @Test func messagesAreShort() throws {
        let outcomes = try worker.rows(
            "function (doc) { throw doc.a ? new Error('ä'.repeat(10000)) : '😀'.repeat(10000) }",
            ["{}", #"{"a":1}"#]
        )
        for outcome in outcomes {
            let message = try #require(outcome.thrown)
            #expect(message.utf8.count <= 500 && message.utf8.count > 400 && !message.contains("\u{FFFD}"))
        }
    }

    @Test func noDocumentsAndBatches() throws {
        #expect(try worker.rows("doc => emit(1)", []) == [])
        #expect(try worker.map([], [bytes("{}")]).isEmpty)
        let source = "doc => emit(doc.n, doc.text.length)"
        let documents = (0..<1234).map { #"{"n":\#($0),"text":"\#(String(repeating: "y", count: $0 * 7))"}"# }
        #expect(try worker.rows(source, documents) == (0..<1234).map { .rows(["\($0): \($0 * 7)"]) })
    }
}
