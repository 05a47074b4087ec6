import Foundation
import SetteeDocumentValues
import SetteeExpressions
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

        init(_ maker: inout SelectorMaker) throws {
            body = try maker.document().canonicalBytes()
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
        #expect(try left(#"{"$or":[{"a":1},{"a":2}]}"#) == [])
    }
}
