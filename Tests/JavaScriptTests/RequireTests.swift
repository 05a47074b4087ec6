import SetteeJavaScript
import Testing

/// `require` of CommonJS modules.
@Suite struct RequireTests {
    let worker = JavaScriptWorker(short())
    static let modules = #"""
        {"views":{"lib":{
            "add":"exports.add = (a, b) => a + b;",
            "whole":"module.exports = n => n * 2; // the last line",
            "deep":{"one":"exports.id = module.id; exports.two = require('./two');",
                "two":"exports.name = 'two'; exports.add = require('../add').add(1, 2);"},
            "absolute":"module.exports = require('views/lib/deep/two').name;",
            "a":"exports.first = 1; exports.b = require('./b'); exports.last = 2;",
            "b":"exports.seen = require('./a').first; exports.late = () => require('./a').last;",
            "count":"let n = 0; module.exports = () => ++n;",
            "bad":"exports.x = (;","throws":"throw new Error('no')","number":1,
            "out":"require('../../../../x')","uses":"require('./bad')",
            "global":"leak = 7; var own = 8; exports.type = typeof own;"
        }},"other":"module.exports = 'other'"}
        """#

    private func rows(_ source: String, modules: String? = RequireTests.modules) throws -> [String] {
        let function = JavaScriptFunction(source, scope: "s", modules: modules)
        let rows = try worker.map([function], [bytes("{}")])[0][0].get()
        return rows.map { text($0.key) }
    }

    @Test func modulesAreFoundByTheirPaths() throws {
        let cases = [
            ("require('views/lib/add').add(1, 2)", "3"), ("require('views/lib/whole')(4)", "8"),
            ("require('./views/lib/add').add(1, 1)", "2"), ("require('other')", #""other""#),
            ("require('views/lib/deep/one')", #"{"id":"views/lib/deep/one","two":{"add":3,"name":"two"}}"#),
            ("require('views/lib/absolute')", #""two""#),
            ("require('views/lib/global').type + ' ' + typeof own + ' ' + leak", #""number undefined 7""#),
        ]
        for (expression, key) in cases {
            #expect(try rows("doc => emit(\(expression))") == [key], "\(expression)")
        }
    }

    @Test func aCycleSeesWhatIsExportedSoFar() throws {
        #expect(try rows("doc => emit(require('views/lib/a'))") == [#"{"b":{"seen":1},"first":1,"last":2}"#])
        #expect(try rows("doc => emit(require('views/lib/b').late())") == ["2"])
    }

    @Test func aModuleIsRunOnceForAFunction() throws {
        let source = "doc => { emit(require('views/lib/count')()); emit(require('views/lib/count')()); }"
        #expect(try rows(source) == ["1", "2"])
        #expect(try rows("doc => { emit(require('views/lib/count')()) }") == ["1"])
    }

    /// The call ends: no document would do better.
    @Test(arguments: [
        "bad", "throws", "number", "none", "out", "uses", "add/x", "__proto__", "toString", "", "deep/../../lib/none",
    ])
    func aModuleThatCannotBeUsedIsACompilationError(name: String) throws {
        let source = "doc => emit(require('views/lib/\(name)'))"
        for function in [source, "doc => { let n = 0; emit(1); require('views/lib/\(name)') }"] {
            let error = failure { () throws(JavaScriptError) in
                try worker.map([JavaScriptFunction(function, scope: "s", modules: Self.modules)], [bytes("{}")])
            }
            guard case .compilation(let message, _) = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(message.contains("Module require('views/lib/\(name)') raised error"), "\(message)")
        }
        #expect(try rows("doc => emit(require('views/lib/add').add(2, 2))") == ["4"])
    }

    @Test func aFunctionMayCatchTheError() throws {
        #expect(
            try rows("doc => { try { require('none') } catch (e) { emit(String(e).slice(0, 14)) } }") == [
                #""Error: Module ""#
            ]
        )
    }

    @Test func filtersAndValidationsHaveModules() throws {
        let filter = JavaScriptFunction(
            "doc => require('views/lib/whole')(doc.n) > 3",
            scope: "s",
            modules: Self.modules
        )
        let documents = [#"{"n":1}"#, #"{"n":2}"#].map { bytes($0) }
        #expect(try worker.filter(filter, documents, request: bytes("{}")) == [.success(false), .success(true)])
        let broken = JavaScriptFunction("doc => require('views/lib/bad')", scope: "s", modules: Self.modules)
        let refused = failure { () throws(JavaScriptError) in
            try worker.filter(broken, documents, request: bytes("{}"))
        }
        #expect(refused?.status == 400)
        let object = bytes("{}")
        let invalid = failure { () throws(JavaScriptError) in
            try worker.validate(broken, document: object, old: nil, user: object, security: object)
        }
        #expect(invalid?.status == 400)
    }

    @Test func modulesHaveTheLimitsOfFunctions() throws {
        let modules = #"{"loop":"for (;;) {}"}"#
        let loop = JavaScriptFunction("doc => require('loop')", scope: "s", modules: modules)
        let outcomes = try worker.map([loop], [bytes("{}")])[0]
        #expect(outcomes.map(Outcome.init) == [.error(.timeLimit(.milliseconds(300)))])
        #expect(try rows("doc => emit(typeof require)", modules: modules) == [#""function""#])
    }

    @Test func otherModulesMakeAnotherFunction() throws {
        let source = "doc => emit(require('x'))"
        #expect(try rows(source, modules: #"{"x":"module.exports = 1"}"#) == ["1"])
        #expect(try rows(source, modules: #"{"x":"module.exports = 2"}"#) == ["2"])
    }
}
