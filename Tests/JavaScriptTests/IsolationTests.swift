internal import SetteeJavaScript
internal import Testing

/// What functions can reach and change.
@Suite struct IsolationTests {
    let worker = JavaScriptWorker(short())

    @Test func nothingOfTheHostIsThere() throws {
        let names = [
            "print", "console", "load", "readFile", "run", "quit", "process", "fetch", "XMLHttpRequest", "WebAssembly",
            "setTimeout", "Worker", "SharedArrayBuffer", "gc", "write", "progress", "$vm", "importScripts", "imports",
            "document",
        ]
        let list = names.map { "'\($0)'" }.joined(separator: ",")
        let source = """
            function (doc) {
                const top = this.constructor.constructor('return this')();
                emit(top === globalThis, [\(list)].filter(name => name in top || name in globalThis));
            }
            """
        #expect(try worker.rows(source, ["{}"]) == [.rows(["true: []"])])
    }

    @Test func functionsShareNothing() throws {
        let poison = """
            function (doc) {
                Object.prototype.toJSON = function () { return 'poisoned' };
                Array.prototype.push = null; globalThis.emit = null; JSON.stringify = null; String = null;
                globalThis.secret = doc;
            }
            """
        let reading = "function (doc) { emit(typeof secret, {a: [1].concat([doc.n])}) }"
        _ = try worker.rows(poison, [#"{"n":1}"#])
        #expect(try worker.rows(reading, [#"{"n":2}"#]) == [.rows([#""undefined": {"a":[1,2]}"#])])
    }

    @Test func theSameSourceInAnotherDatabaseSharesNothing() throws {
        let source = "function (doc) { emit(typeof kept, null); globalThis.kept = doc }"
        let one = try worker.rows(source, [#"{"n":1}"#, "{}"], scope: "one")
        #expect(one == [.rows([#""undefined": null"#]), .rows([#""object": null"#])])
        #expect(try worker.rows(source, ["{}"], scope: "two") == [.rows([#""undefined": null"#])])
    }

    /// A function may spoil what it uses itself, but not the form of what is written, nor other documents' outcomes.
    @Test(arguments: [
        "Object.prototype.toJSON = () => ']],[['",
        "Array.prototype.toJSON = () => 'x'; Array.prototype[Symbol.iterator] = null",
        "String.prototype.slice = String.prototype.indexOf = RegExp.prototype.exec = () => { throw 1 }",
        "Object.defineProperty(Array.prototype, '0', {set() { throw 1 }, get() { return 'x' }})",
        "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => 'x'",
        "JSON.stringify = JSON.parse = () => ']]]'; Array.isArray = () => false",
        "Object.defineProperty(Object.prototype, 'length', {get() { return 99 }, configurable: true})",
        "Error.prototype.toString = Error.prototype.valueOf = () => ({}); Error = null; Object = null",
        "Object.prototype.message = 'x'; Object.prototype.line = 1; Object.prototype.name = 'n'",
        "Object.setPrototypeOf(globalThis, new Proxy({}, {get() { throw 1 }, has() { return true }}))",
        "Object.freeze(globalThis); Object.freeze(Object.prototype)",
        "arguments.callee.caller; (() => {}).caller; delete globalThis.emit",
    ])
    func builtInsThatWereChanged(poison: String) throws {
        let source =
            "(function () { const e = emit; return function (doc) { if (doc.n === 1) { \(poison) } e(doc.n, 'v') } })()"
        let outcomes = try worker.rows(source, (0..<4).map { #"{"n":\#($0)}"# })
        for number in [0, 2, 3] { #expect(outcomes[number] == .rows(["\(number): \"v\""]), "\(poison)") }
    }

    @Test func emitOfAnotherTime() throws {
        let source = "function (doc) { if (globalThis.kept) kept(); globalThis.kept = () => emit(doc.n, null) }"
        let outcomes = try worker.rows(source, [#"{"n":1}"#, #"{"n":2}"#])
        #expect(outcomes == [.rows([]), .rows(["1: null"])])
        let later = try worker.filter(function("function () { emit(1, 2) }"), [bytes("{}")], request: bytes("{}"))
        guard case .failure(.thrown(let message)) = later[0] else {
            Issue.record("\(later)")
            return
        }
        #expect(message.hasPrefix("Error: emit() only works while a map function runs."))
    }

    @Test func emitWithinEmit() throws {
        let source = "doc => emit({toJSON() { emit('inner', 1); return 'outer' }}, 2)"
        #expect(try worker.rows(source, ["{}"]) == [.rows([#""inner": 1"#, #""outer": 2"#])])
    }
}
