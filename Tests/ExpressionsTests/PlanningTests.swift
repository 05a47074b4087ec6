import Foundation
import SetteeDocumentValues
import SetteeExpressions
import SetteeSelectorSupport
import StorageConformance
import StorageProtocol
import Testing

/// What a planner is told about random selectors is true for random documents.
@Suite struct PlanningTests {
    private static let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 1500 : 100_000

    private struct Document {
        let body: [UInt8]
        let id: DocumentID = "doc1"
        let revision: RevisionID

        init(_ maker: inout SelectorMaker) throws { try self.init(body: maker.document().canonicalBytes()) }

        init(body: [UInt8]) throws {
            self.body = body
            revision = try RevisionID("1-a")
        }

        func matches(_ selector: MangoSelector) throws -> Bool {
            try selector.matches(body.span.bytes, id: id, revision: revision)
        }

        /// The key of a field's value; nil if it is missing.
        func key(_ path: FieldPath) throws -> [UInt8]? {
            try path.withValue(of: body.span.bytes, id: id, revision: revision) { value throws(StorageError) in
                var key: [UInt8] = []
                try (path.comparesRaw ? Collator.raw : .unicode).encode(value, into: &key)
                return key
            }
        }

        func lies(in known: FieldRanges, _ path: FieldPath) throws -> Bool {
            try key(path).map { known.ranges.contains($0) } ?? known.mayBeMissing
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func valuesLieInTheRanges(seed: UInt64) throws {
        var maker = SelectorMaker(generator: SeededGenerator(seed: seed))
        var narrow = 0
        for _ in 0..<PlanningTests.rounds {
            let json = maker.selector(3)
            let selector = try MangoSelector(json)
            let paths = try selector.fields.union([FieldPath(mango: maker.path())])
            // All fields in one walk, or each in its own.
            let together = selector.rangesOfFields
            try #require(Set(together.keys) == selector.fields)
            for path in selector.fields {
                try #require(together[path] == selector.ranges(of: path), "seed \(seed): \(path.text) of \(json)")
            }
            for _ in 0..<6 {
                let document = try Document(&maker)
                guard try document.matches(selector) else { continue }
                for path in paths {
                    let ranges = selector.ranges(of: path)
                    if !ranges.ranges.isAll { narrow += 1 }
                    try #require(
                        try document.lies(in: ranges, path),
                        "seed \(seed): \(path.text) of \(json) in \(String(decoding: document.body, as: UTF8.self))"
                    )
                }
            }
        }
        #expect(narrow > PlanningTests.rounds / 20, "\(narrow)")
    }

    /// An array is also taken for the one value that it is to contain.
    @Test func anArrayThatContainsItselfLiesInTheRanges() throws {
        for value in ["[]", "[[]]", #"["a"]"#] {
            let selector = try MangoSelector(try JSONValue(parsing: #"{"a":{"$all":[\#(value)]}}"#))
            let document = try Document(body: Array(#"{"a":\#(value)}"#.utf8))
            #expect(try document.matches(selector))
            let path = try FieldPath(mango: "a")
            #expect(try document.lies(in: selector.ranges(of: path), path), "\(value)")
        }
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func theRemainderDecides(seed: UInt64) throws {
        var maker = SelectorMaker(generator: SeededGenerator(seed: seed))
        var shorter = 0
        for _ in 0..<PlanningTests.rounds {
            let json = maker.selector(3)
            let selector = try MangoSelector(json)
            // Ranges of the selector itself, as a plan has them, or of another one.
            let source = maker.generator.chance(1, in: 4) ? try MangoSelector(maker.selector(2)) : selector
            var known: [FieldPath: FieldRanges] = [:]
            for path in selector.fields where maker.generator.chance(2, in: 3) { known[path] = source.ranges(of: path) }
            let remainder = selector.remainder(knowing: known)
            #expect(selector.isDecided(by: known) == remainder.matchesAll)
            if remainder.fields.count < selector.fields.count { shorter += 1 }
            for _ in 0..<6 {
                let document = try Document(&maker)
                guard try known.allSatisfy({ try document.lies(in: $0.value, $0.key) }) else { continue }
                try #require(
                    try document.matches(remainder) == document.matches(selector),
                    "seed \(seed): \(json) on \(String(decoding: document.body, as: UTF8.self))"
                )
            }
        }
        #expect(shorter > PlanningTests.rounds / 10, "\(shorter)")
    }

    @Test(arguments: [21, 22, 23] as [UInt64])
    func alternativesAreTogetherTheSelector(seed: UInt64) throws {
        var maker = SelectorMaker(generator: SeededGenerator(seed: seed))
        var split = 0
        for _ in 0..<PlanningTests.rounds {
            let json: JSONValue = ["$and": [maker.selector(1), ["$or": [maker.selector(2), maker.selector(2)]]]]
            let selector = try MangoSelector(json)
            guard let alternatives = selector.alternatives else { continue }
            split += 1
            for _ in 0..<4 {
                let document = try Document(&maker)
                #expect(try alternatives.contains { try document.matches($0) } == document.matches(selector), "\(json)")
            }
        }
        #expect(split * 10 > PlanningTests.rounds * 9)
        #expect(try MangoSelector(["a": 1]).alternatives == nil)
        #expect(try MangoSelector(["$or": []]).alternatives == nil)
    }

    @Test(arguments: [31, 32, 33, 34] as [UInt64])
    func whatIsImpliedHolds(seed: UInt64) throws {
        var maker = SelectorMaker(generator: SeededGenerator(seed: seed))
        var implied = 0
        for _ in 0..<PlanningTests.rounds * 2 {
            let first = maker.selector(2)
            // Half of the pairs are related.
            let second = maker.selector(1)
            let both: JSONValue = maker.generator.chance(1, in: 2) ? ["$and": [first, second]] : first
            let premise = try MangoSelector(both)
            let conclusion = try MangoSelector(second)
            guard implies(premise, conclusion) else { continue }
            implied += 1
            for _ in 0..<8 {
                let document = try Document(&maker)
                guard try document.matches(premise) else { continue }
                try #require(
                    try document.matches(conclusion),
                    "seed \(seed): \(both) implies \(second) for \(String(decoding: document.body, as: UTF8.self))"
                )
            }
        }
        #expect(implied > PlanningTests.rounds / 2, "\(implied)")
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":1.0}"#, true), (#"{"a":1,"b":2}"#, #"{"b":2}"#, true),
        (#"{"a":5}"#, #"{"a":{"$gt":1}}"#, true),
        (#"{"a":{"$gt":5}}"#, #"{"a":{"$gt":1}}"#, true), (#"{"a":{"$gt":1}}"#, #"{"a":{"$gt":5}}"#, false),
        (#"{"a":"x"}"#, #"{"a":{"$exists":true}}"#, true), (#"{"a":"x"}"#, #"{"a":{"$type":"string"}}"#, true),
        (#"{"a":{"$beginsWith":"x"}}"#, #"{"a":{"$type":"string"}}"#, true), (#"{"a":"x"}"#, "{}", true),
        (#"{"a":{"$in":[1,2]}}"#, #"{"a":{"$in":[2,3,1]}}"#, true),
        (#"{"a":{"$in":[1,4]}}"#, #"{"a":{"$in":[1,2]}}"#, false),
        // Of an array only the elements are compared with the values of `$in`.
        (#"{"a":[1]}"#, #"{"a":{"$in":[[1],2]}}"#, false),
        (#"{"a":2}"#, #"{"a":{"$in":[1,2]}}"#, true), (#"{"a":2}"#, #"{"$or":[{"a":{"$lt":5}},{"b":1}]}"#, true),
        (#"{"$or":[{"a":1,"b":1},{"a":2,"b":1}]}"#, #"{"a":{"$lt":5},"b":1}"#, true),
        (#"{"$or":[{"a":1,"c":1},{"b":2,"c":1}]}"#, #"{"$or":[{"a":{"$type":"number"}},{"b":{"$gt":1}}]}"#, true),
        (#"{"a":{"$regex":"x+"}}"#, #"{"a":{"$regex":"x+"}}"#, true),
        (#"{"a":{"$regex":"x+"}}"#, #"{"a":{"$regex":"y"}}"#, false),
        (#"{"a":{"$exists":false}}"#, #"{"a":{"$exists":false}}"#, true),
        (#"{"b":1}"#, #"{"a":{"$exists":true}}"#, false),
        (#"{"a":{"$elemMatch":{"b":1}}}"#, #"{"a":{"$elemMatch":{"b":1}}}"#, true),
        (#"{"a":[]}"#, #"{"a":{"$size":0}}"#, true), (#"{"a":{"$size":0}}"#, #"{"a":[]}"#, true),
        (#"{"a":{"$size":1}}"#, #"{"a":{"$ne":[]}}"#, true), (#"{"a":[]}"#, #"{"a":{"$in":[[]]}}"#, false),
        (#"{"a":{"$allMatch":{"$gt":5}}}"#, #"{"a":{"$gte":[5]}}"#, true),
        (#"{"a":{"$gte":[5]}}"#, #"{"a":{"$allMatch":{"$gt":5}}}"#, false),
        (#"{"a":{"$ne":1}}"#, #"{"$not":{"a":1}}"#, true), (#"{"a":{"$gt":1,"$lt":9}}"#, #"{"a":{"$ne":9}}"#, true),
    ])
    func implication(premise: String, conclusion: String, expected: Bool) throws {
        let premise = try MangoSelector(JSONValue(parsing: premise))
        let conclusion = try MangoSelector(JSONValue(parsing: conclusion))
        #expect(implies(premise, conclusion) == expected)
    }

    /// Only what an index cannot say is left to check.
    @Test func whatIsLeftToCheck() throws {
        func left(_ selector: String) throws -> [String] {
            let selector = try MangoSelector(JSONValue(parsing: selector))
            let a = try FieldPath(mango: "a")
            return selector.remainder(knowing: [a: selector.ranges(of: a)]).fields.map(\.text).sorted()
        }
        #expect(try left(#"{"a":{"$gt":1,"$lte":5}}"#) == [])
        #expect(try left(#"{"a":1,"b":2}"#) == ["b"])
        #expect(try left(#"{"a":{"$in":[1,2],"$lt":[]}}"#) == [])
        #expect(try left(#"{"a":{"$in":[1,2]}}"#) == ["a"])
        #expect(try left(#"{"a":{"$regex":"^x"}}"#) == ["a"])
        #expect(try left(#"{"a":{"$size":0}}"#) == [])
        #expect(try left(#"{"a":{"$allMatch":{"$gt":1}}}"#) == ["a"])
        #expect(try left(#"{"$or":[{"a":1},{"a":2}]}"#) == [])
    }
}

/// What a planner is told of two selectors.
func implies(_ premise: MangoSelector, _ conclusion: MangoSelector) -> Bool {
    var facts = SelectorFacts(premise)
    return facts.implies(conclusion)
}
