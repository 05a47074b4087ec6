internal import Foundation
internal import SetteeJavaScript
internal import Testing

/// Functions that take too much. Each is met by one document of several; the others keep their rows.
@Suite struct LimitTests {
    static let documents = (0..<20).map { #"{"n":\#($0)}"# }

    /// Runs a function in which document 13 does something bad.
    func run(_ worker: JavaScriptWorker, _ bad: String) throws -> JavaScriptError? {
        let source = "function (doc) { if (doc.n === 13) { \(bad) } emit(doc.n, null) }"
        let outcomes = try worker.rows(source, Self.documents)
        for (number, outcome) in outcomes.enumerated() where number != 13 {
            #expect(outcome == .rows(["\(number): null"]), "document \(number)")
        }
        if case .error(let error) = outcomes[13] { return error }
        return nil
    }

    @Test(arguments: [
        "while (true) {}",
        "for (;;) { try { for (;;) {} } catch (e) {} finally { continue } }",
        "for (;;) emit",
        "const a = []; for (let i = 0;; i = (i + 1) % 1000) a[i] = {i};",
        "throw {get message() { for (;;) {} }}",
        "emit({toJSON() { for (;;) {} }}, null)",
        "[1, 2].sort(() => { for (;;) {} })",
    ])
    func endlessLoopsAreEndedInTheChild(bad: String) throws {
        let worker = JavaScriptWorker(short())
        try worker.check(function("doc => 1"))
        let child = worker.childIdentifier
        #expect(try run(worker, bad) == .timeLimit(.milliseconds(300)))
        #expect(worker.childIdentifier == child)
    }

    /// JavaScriptCore does not look at its limit there, or gives up by itself before that.
    @Test(arguments: [
        #"/^(([a-z]+)+)+$/.test('a'.repeat(60) + '!')"#,
        "'x'.repeat(30000000).split('').sort().reverse().join('').split('x').join('yy')",
    ])
    func longCallsOfTheLibrary(bad: String) throws {
        let worker = JavaScriptWorker(short())
        let error = try run(worker, bad)
        switch error {
        case nil, .timeLimit, .memoryLimit, .thrown: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    private static let greedy = [
        "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1));",
        "const a = []; for (let i = 0;; i++) a.push('x'.repeat(1000) + i);",
        "let a = 'x'; for (;;) { a += a + 'y'; a.charCodeAt(0); }",
        "let a = []; for (;;) a = [a, a, {}];",
        "const m = new Map(); for (let i = 0;; i++) m.set(i, {i});",
    ]
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    @Test(arguments: isLong ? greedy : Array(greedy.prefix(2)))
    func memoryHasALimit(bad: String) throws {
        let worker = JavaScriptWorker(JavaScriptConfiguration(timeLimit: .seconds(60), memoryLimit: 100 << 20))
        let error = try run(worker, bad)
        // Strings and arrays have lengths that they cannot exceed, at which JavaScriptCore throws, or ends the process.
        switch error {
        case .memoryLimit(100 << 20), .thrown, .crashed: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test(arguments: [
        "(function f() { f() })()", "(function f() { try { f() } finally { f } })()",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; emit(a, null)",
        "JSON.parse('['.repeat(1000000))", "const a = {}; a.a = a; emit(a, 1)", "emit(10n, 1)",
    ])
    func deepRecursionIsAnErrorOfTheFunction(bad: String) throws {
        guard case .thrown = try run(JavaScriptWorker(), bad) else {
            Issue.record("\(bad)")
            return
        }
    }

    @Test func nestingThatCannotBeStored() throws {
        let error = try run(JavaScriptWorker(), "let a = []; for (let i = 0; i < 600; i++) a = [a]; emit(a, null)")
        #expect(error == .thrown("What the function makes is no JSON that can be stored. It may be nested too deeply."))
    }

    @Test(arguments: [
        "for (;;) emit(1, 'x'.repeat(1000))",
        "for (;;) { try { emit(1, 2) } catch (e) { if (!/long/.test(e)) throw e; break } }",
        "emit('x'.repeat(2000000), null)",
        "emit('ä'.repeat(900000), null)",
    ])
    func outputHasALimit(bad: String) throws {
        let worker = JavaScriptWorker(short(time: .seconds(30), output: 1 << 20))
        #expect(try run(worker, bad) == .outputLimit(1 << 20))
    }

    @Test func aBatchWithMuchOutputIsDivided() throws {
        let worker = JavaScriptWorker(short(time: .seconds(30), output: 1 << 20))
        let outcomes = try worker.rows("doc => emit('x'.repeat(300000 + doc.n), null)", Self.documents)
        for (number, outcome) in outcomes.enumerated() {
            guard case .rows(let rows) = outcome else {
                Issue.record("document \(number)")
                continue
            }
            #expect(rows.map(\.utf8.count) == [300_000 + number + 8])
        }
    }

    @Test func mostOfTheOutputLimitCanBeUsed() throws {
        let worker = JavaScriptWorker(short(time: .seconds(60)))
        let source = "doc => { for (let i = 0; i < 600; i++) emit('x'.repeat(100000), null) }"
        let outcomes = try worker.map([function(source)], [bytes("{}")])
        #expect(try outcomes[0][0].get().map(\.key.count) == Array(repeating: 100_002, count: 600))
    }

    @Test func aFunctionThatNeverEndsIsGivenUp() throws {
        let worker = JavaScriptWorker(short(time: .milliseconds(50)))
        let outcomes = try worker.rows("doc => { for (;;) {} }", (0..<300).map { "\($0)" })
        #expect(outcomes == Array(repeating: .error(.timeLimit(.milliseconds(50))), count: 300))
    }

    @Test func oneOfSeveralFunctionsIsAtFault() throws {
        let functions = ["doc => emit(1)", "doc => { for (;;) {} }", "doc => emit(doc.n)"].map { function($0) }
        let outcomes = try JavaScriptWorker(short()).map(functions, [bytes(#"{"n":5}"#), bytes("{}")])
            .map { $0.map(Outcome.init) }
        let ended = Outcome.error(.timeLimit(.milliseconds(300)))
        #expect(
            outcomes == [
                [.rows(["1: null"]), .rows(["1: null"])], [ended, ended], [.rows(["5: null"]), .rows(["null: null"])],
            ]
        )
    }

    @Test func limitsOfTheOtherCalls() throws {
        let endless = function("function () { for (;;) {} }")
        let worker = JavaScriptWorker(short())
        let limit = JavaScriptError.timeLimit(.milliseconds(300))
        #expect(try worker.filter(endless, [bytes("{}")], request: bytes("{}")) == [.failure(limit)])
        #expect(failure { () throws(JavaScriptError) in try worker.reduce(endless, keys: nil, values: []) } == limit)
        let large = function("() => 'x'.repeat(1050000)")
        let small = JavaScriptWorker(short(output: 1 << 20))
        let error = failure { () throws(JavaScriptError) in try small.reduce(large, keys: nil, values: []) }
        #expect(error == .outputLimit(1 << 20))
    }

    @Test func workGoesOnInMicrotasksWithoutEffect() throws {
        let source = "async doc => { emit(doc.n, null); await 1; emit('late', null) }"
        let outcomes = try JavaScriptWorker().rows(source, Self.documents)
        #expect(outcomes == Self.documents.indices.map { .rows(["\($0): null"]) })
        let endless = "doc => { emit(1); (async function f() { for (;;) await 1 })() }"
        let after = try JavaScriptWorker(short()).rows(endless, ["{}"])
        #expect(after == [.rows(["1: null"])] || after == [.error(.timeLimit(.milliseconds(300)))])
    }
}
