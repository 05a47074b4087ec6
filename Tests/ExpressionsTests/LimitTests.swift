import Foundation
import SetteeDocumentValues
import SetteeExpressions
import StorageConformance
import StorageProtocol
import Testing

/// Selectors and documents that are meant to do harm.
@Suite struct LimitTests {
    private func expectRefused(_ selector: JSONValue, _ beginning: String) throws {
        let error = #expect(throws: StorageError.self) { try MangoSelector(selector) }
        #expect(error?.code == .badRequest)
        #expect(error?.message.hasPrefix(beginning) == true, "\(error?.message ?? "")")
    }

    /// A selector with one operator or field inside the other.
    private func nested(_ depth: Int, _ wrap: (JSONValue) -> JSONValue) -> JSONValue {
        var selector: JSONValue = ["$eq": 1]
        for _ in 0..<depth { selector = wrap(selector) }
        return selector
    }

    @Test func depth() throws {
        let wraps: [(JSONValue) -> JSONValue] = [
            { ["$not": $0] }, { ["$and": [$0]] }, { ["$nor": [$0]] }, { ["$elemMatch": $0] }, { ["$keyMapMatch": $0] },
        ]
        for wrap in wraps {
            _ = try MangoSelector(["x": nested(MangoSelector.maximumDepth - 1, wrap)])
            try expectRefused(["x": nested(MangoSelector.maximumDepth, wrap)], "The selector is nested more than")
            try expectRefused(["x": nested(2000, wrap)], "The selector is nested more than")
        }
        try expectRefused(
            ["a": 1, "x": ["$or": [2, nested(512) { ["$not": $0] }]]],
            "The selector is nested more than 512 deep, at /x/$or/1/$not/$not/"
        )
        // The path to a field is too long before.
        _ = try MangoSelector(["x": nested(511) { ["a": $0] }])
        try expectRefused(["x": nested(512) { ["a": $0] }], "Invalid field name")
        // Values are not conditions.
        var value: JSONValue = 1
        for _ in 0..<500 { value = [value] }
        _ = try MangoSelector(["x": ["$eq": value]])
    }

    /// What is allowed is compiled, compared, planned and applied on the small stack that a thread may have.
    @Test func deepestOnASmallStack() async throws {
        // With the levels that each takes.
        let wraps: [(Int, @Sendable (JSONValue) -> JSONValue)] = [
            (1, { ["$not": $0] }), (1, { ["$and": [$0, ["$gt": 0]]] }), (1, { ["$nor": [$0, ["$gt": 5]]] }),
            (1, { ["$elemMatch": $0] }), (1, { ["$allMatch": $0] }), (2, { ["$elemMatch": ["$not": $0]] }),
            (2, { ["$elemMatch": ["$or": [$0, ["$size": 7]]]] }), (2, { ["$elemMatch": ["a": $0]] }),
            (3, { ["$not": ["$or": [["$and": [$0, ["$gt": 0]]], ["$lt": 9]]]] }),
        ]
        let array = String(repeating: "[", count: 500) + "1" + String(repeating: "]", count: 500)
        let both = String(repeating: #"[{"a":"#, count: 250) + "1" + String(repeating: "}]", count: 250)
        let bodies = try ["1", array, both].map { try JSONValue(parsing: #"{"x":\#($0)}"#).canonicalBytes() }
        try await withSmallStack {
            for (levels, wrap) in wraps {
                let value = JSONValue.object(["x": self.nested((MangoSelector.maximumDepth - 1) / levels, wrap)])
                let selector = try MangoSelector(value)
                let other = try MangoSelector(value)
                for body in bodies {
                    _ = try selector.matches(body.span.bytes, id: "a", revision: RevisionID("1-a"))
                }
                var facts = SelectorFacts(selector)
                #expect(selector.fields == other.fields)
                _ = facts.implies(other)
                _ = selector.rangesOfFields
                _ = selector.remainder(knowing: [:])
            }
        }
    }

    /// Runs `body` on a thread with 512 KiB of stack.
    private func withSmallStack(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let thread = Thread { continuation.resume(with: Result(catching: body)) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    /// A long selector of a task that is cancelled, or of a client that has gone, is not compiled to its end.
    @Test(arguments: ["$in", "$or"])
    func cancelledCompiling(name: String) async throws {
        let values = (0..<4000).map { name == "$in" ? JSONValue($0) : JSONValue.object(["b\($0)": 1]) }
        let selector = JSONValue.object(name == "$in" ? ["a": [name: .array(values)]] : [name: .array(values)])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let error = #expect(throws: StorageError.self) { try MangoSelector(selector) }
            #expect(error?.code == .cancelled)
        }
        await task.value
        nonisolated(unsafe) var checks = 0
        let error = #expect(throws: StorageError.self) {
            try MangoSelector(selector) { () throws(StorageError) in
                checks += 1
                if checks == 3 { throw StorageError(.cancelled, "gone") }
            }
        }
        #expect(error?.message == "gone")
        #expect(checks == 3)
    }

    @Test func numberOfConditions() throws {
        // The object, the operator, and two for each part: its object and the value of its field.
        let allowed = (MangoSelector.maximumConditions - 2) / 2
        let part: JSONValue = ["a": 1]
        let body = Array(#"{"a":2}"#.utf8)
        let largest = try MangoSelector(["$or": .array(Array(repeating: part, count: allowed))])
        #expect(try !largest.matches(body.span.bytes, id: "a", revision: RevisionID("1-a")))
        try expectRefused(["$or": .array(Array(repeating: part, count: allowed + 1))], "The selector has more than")
        try expectRefused(["a": ["$or": .array(Array(repeating: 1, count: 10_000))]], "The selector has more than")
    }

    @Test func pathLength() throws {
        let name = String(repeating: "n", count: MangoSelector.maximumPathLength)
        _ = try MangoSelector([name: 1])
        try expectRefused([name + "n": 1], "Invalid field name: nnn")
        try expectRefused(["a": [name: 1]], "Invalid field name: a.nnn")
    }

    @Test func longListsOfValues() throws {
        let numbers = (0..<20_000).map { JSONValue(2 * $0) }
        let isIn = try MangoSelector(["a": ["$in": .array(numbers)]])
        let all = try MangoSelector(["a": ["$all": .array(numbers)]])
        func matches(_ selector: MangoSelector, _ value: JSONValue) throws -> Bool {
            let body = try JSONValue.object(["a": value]).canonicalBytes()
            return try selector.matches(body.span.bytes, id: "a", revision: RevisionID("1-a"))
        }
        #expect(try matches(isIn, 39_998))
        #expect(try !matches(isIn, 39_999))
        #expect(try matches(isIn, .array((0..<20_000).map { JSONValue(2 * $0 + 1) } + [0])))
        #expect(try !matches(isIn, .array((0..<20_000).map { JSONValue(2 * $0 + 1) })))
        #expect(try matches(all, .array(numbers.reversed())))
        #expect(try !matches(all, .array(Array(numbers.dropLast()))))
    }

    /// Keys of the collation have at most 1 MiB. Longer values are ordered by their beginning, and equal to nothing.
    @Test func valuesBeyondACollationKey() throws {
        let long = String(repeating: "é", count: 600_000)
        let document = #"{"a":"\#(long)","b":[1,"\#(long)"],"c":{"x":"\#(long)"}}"#
        for (selector, isMatch) in [
            (#"{"a":{"$gt":"e"}}"#, true), (#"{"a":{"$lt":"f"}}"#, true), (#"{"a":{"$gt":"f"}}"#, false),
            (#"{"a":"\u00e9"}"#, false), (#"{"a":{"$ne":"\u00e9"}}"#, true), (#"{"a":{"$in":["\u00e9"]}}"#, false),
            (#"{"a":{"$in":["é","b","c","d","e","f","g","h","i"]}}"#, false), (#"{"a":{"$gt":5}}"#, true),
            (#"{"b":{"$gt":[]}}"#, true), (#"{"b":{"$lt":[]}}"#, false), (#"{"b":[1]}"#, false),
            (#"{"a":{"$beginsWith":"é"}}"#, true), (#"{"c":{"$eq":{"x":1}}}"#, false),
            // Its first 8,192 characters are equal, and others follow.
            (#"{"a":{"$gt":"\#(long.prefix(8192))"}}"#, true), (#"{"a":{"$lte":"\#(long.prefix(8192))"}}"#, false),
        ] {
            #expect(try matches(selector, document) == isMatch, "\(selector.prefix(80))")
        }
        for selector in [#"{"c":{"$gt":{}}}"#, #"{"b":{"$lt":[2]}}"#] {
            let error = #expect(throws: StorageError.self) { try matches(selector, document) }
            #expect(error?.code == .tooLarge)
        }
        let body = try JSONValue(parsing: document).canonicalBytes()
        let refused: JSONValue = ["a": .string(long)]
        try expectRefused(refused, "Bad argument for operator $eq")
        #expect(body.count > Collator.maximumKeyLength)
    }

    /// Each of many conditions on one field reads its value.
    @Test func workOnAStringIsLimited() throws {
        let string = String(repeating: "a", count: 1 << 22)
        let body = try JSONValue.object(["a": .string(string)]).canonicalBytes()
        try expectTooMuchWork(["$or": .array(Array(repeating: ["a": ["$lt": "a"]], count: 3000))], body)
    }

    /// One walk finds the fields of all conditions.
    @Test func manyFieldsOfALargeDocument() throws {
        let missing = (0..<4000).map { JSONValue.object(["z\($0)": 1]) }
        let body = try JSONValue.object(["a": .string(String(repeating: "a", count: 1 << 22))]).canonicalBytes()
        let selector = try MangoSelector(["$or": .array(missing)])
        let start = ContinuousClock.now
        for _ in 0..<100 { #expect(try !selector.matches(body.span.bytes, id: "a", revision: RevisionID("1-a"))) }
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    /// Each of many elements is tested with all conditions, or each condition reads all elements.
    @Test(arguments: [true, false])
    func workOnElementsIsLimited(isNested: Bool) throws {
        let body = try JSONValue.object(["a": .array(Array(repeating: 1, count: 1 << 18))]).canonicalBytes()
        let condition: JSONValue = isNested ? ["$lt": 0] : ["$all": ["x"]]
        let any: JSONValue = ["$or": .array(Array(repeating: condition, count: 4000))]
        try expectTooMuchWork(["a": isNested ? ["$elemMatch": any] : any], body)
    }

    private func expectTooMuchWork(_ selector: JSONValue, _ body: [UInt8]) throws {
        let selector = try MangoSelector(selector)
        let start = ContinuousClock.now
        let error = #expect(throws: StorageError.self) {
            try selector.matches(body.span.bytes, id: "a", revision: RevisionID("1-a"))
        }
        #expect(error?.message.hasPrefix("The selector has too many conditions") == true, "\(error?.message ?? "")")
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func deepDocuments() throws {
        let array = String(repeating: "[", count: 510) + String(repeating: "]", count: 510)
        #expect(try matches(#"{"a":{"$gt":[]}}"#, #"{"a":\#(array)}"#))
        #expect(try matches(#"{"a":{"$elemMatch":{"$type":"array"}}}"#, #"{"a":\#(array)}"#))
        #expect(try matches(#"{"a":{"$eq":\#(array)}}"#, #"{"a":\#(array)}"#))
        let path = "a" + String(repeating: ".0", count: 400)
        #expect(try matches(#"{"\#(path)":{"$type":"array"}}"#, #"{"a":\#(array)}"#))
    }

    /// Stored bytes may be damaged in any way: the answer is then an error or any result.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func damagedBodies(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let selectors = try [
            #"{"a":{"$gt":1}}"#, #"{"b.1.c":"x"}"#, #"{"b":{"$elemMatch":{"c":{"$ne":"é"}}}}"#, #"{"b":{"$size":3}}"#,
            #"{"b":{"$all":[1,"é\n"]}}"#, #"{"d":{"$keyMapMatch":{"$gt":"e"}}}"#, #"{"a":{"$mod":[3,1]}}"#,
            #"{"f":{"$regex":"é"}}"#, #"{"f":{"$beginsWith":"é\n"}}"#, #"{"f":{"$in":["é",1,null]}}"#,
            #"{"b":{"$allMatch":{"$type":"number"}}}"#, #"{"d.e":{"$exists":false}}"#, #"{"d":{"$gt":{"e":[]}}}"#,
            #"{"f":{"$lt":"é"}}"#, #"{"a":{"$in":[1,2,3,4,5,6,7,8,9,10]}}"#, #"{"b.01.c":{"$ne":1}}"#,
        ].map { try MangoSelector(JSONValue(parsing: $0)) }
        let body = Array(#"{"a":12.5,"b":[1,{"c":"x\n"},"é\n"],"d":{"e":[[]],"é":null},"f":"é\n\"😀"}"#.utf8)
        let revision = try RevisionID("1-a")
        for _ in 0..<2000 {
            var damaged = body
            for _ in 0...generator.below(3) {
                damaged[generator.below(damaged.count)] = UInt8(generator.below(256))
            }
            if generator.chance(1, in: 2) { damaged.removeLast(generator.below(damaged.count)) }
            for selector in selectors {
                do throws(StorageError) {
                    _ = try selector.matches(damaged.span.bytes, id: "a", revision: revision)
                } catch {
                    #expect([.badJSON, .tooLarge].contains(error.code), "seed \(seed): \(damaged): \(error)")
                }
            }
        }
        for selector in selectors {
            for bytes: [UInt8] in [[], [0x22], Array("null".utf8), Array("[{}]".utf8)] {
                #expect(try !selector.matches(bytes.span.bytes, id: "a", revision: revision))
            }
        }
    }
}
