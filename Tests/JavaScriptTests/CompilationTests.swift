internal import SetteeJavaScript
internal import Testing

@Suite struct CompilationTests {
    let worker = JavaScriptWorker(short())

    @Test(arguments: [
        ("function (doc) {\n  emit(doc.;\n}", 2), ("function (doc) {\n\n  let let = 1 }", 3), ("", 1),
        ("function (doc) {", 1),
        ("import x from 'y'", 1), (")", 1),
    ])
    func syntaxErrorsHaveALine(source: String, line: Int) {
        guard
            case .compilation(let message, let found) = failure({ () throws(JavaScriptError) in
                try worker.check(function(source))
            })
        else {
            Issue.record("\(source)")
            return
        }
        #expect(message.hasPrefix("SyntaxError: "))
        #expect(found == line, "\(source)")
    }

    @Test(arguments: ["42", "'function'", "({})", "null", "[function () {}]"])
    func whatIsNoFunctionIsRefused(source: String) {
        let error = failure { () throws(JavaScriptError) in try worker.map([function(source)], []) }
        #expect(error == .compilation(message: "It is not a function. Write `function (doc) { ... }`.", line: 0))
    }

    @Test func sourcesThatRunAtOnce() {
        let thrown = failure { () throws(JavaScriptError) in
            try worker.check(function("(() => { throw new Error('x') })()"))
        }
        #expect(thrown == .compilation(message: "Error: x", line: 1))
        let textless = "(() => { throw {toString() { throw 1 }, get line() { throw 2 }} })()"
        let error = failure { () throws(JavaScriptError) in try worker.check(function(textless)) }
        #expect(error == .compilation(message: "It ends with an error that has no text.", line: 0))
        let endless = failure { () throws(JavaScriptError) in try worker.check(function("(() => { for (;;) {} })()")) }
        #expect(endless == .timeLimit(.milliseconds(300)))
        let emitting = failure { () throws(JavaScriptError) in try worker.check(function("emit(1, 2)")) }
        #expect(emitting == .compilation(message: "Error: emit() only works while a map function runs.", line: 0))
    }

    @Test func sourcesHaveALimit() throws {
        for source in ["doc => 1 /*\(String(repeating: "x", count: 1 << 20))*/", "doc => '\0'"] {
            let error = failure { () throws(JavaScriptError) in try worker.check(function(source)) }
            #expect(error == .compilation(message: "It is longer than 1048576 bytes, or contains U+0000.", line: 0))
        }
        try worker.check(function("doc => 1 /*\(String(repeating: "x", count: 1_000_000))*/"))
    }

    @Test func aRefusedFunctionLeavesTheOthers() throws {
        let good = function("doc => emit(1)")
        for _ in 0..<100 {
            _ = failure { () throws(JavaScriptError) in try worker.check(function("doc =>")) }
            #expect(try worker.map([good], [bytes("{}")])[0].map(Outcome.init) == [.rows(["1: null"])])
        }
    }

    @Test func withoutModulesRequireSaysSo() throws {
        let outcomes = try worker.rows("doc => require('views/lib/x')", ["{}"])
        #expect(outcomes[0].thrown?.contains("require() finds modules in map functions") == true)
    }
}
