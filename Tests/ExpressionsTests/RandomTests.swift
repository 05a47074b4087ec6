import Foundation
import SetteeDocumentValues
import SetteeExpressions
import SetteeSelectorSupport
import StorageConformance
import StorageProtocol
import Testing

/// Random selectors on random documents give the same results as the plain evaluator.
@Suite struct RandomTests {
    private static let rounds = ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil ? 1500 : 100_000

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func sameAsTheReference(seed: UInt64) throws {
        var maker = SelectorMaker(generator: SeededGenerator(seed: seed))
        let revision = try RevisionID("1-a")
        var matched = 0
        var compared = 0
        for round in 0..<RandomTests.rounds {
            let json = maker.selector(3)
            let selector = try MangoSelector(json)
            let reference = ReferenceSelector(json)
            for _ in 0..<4 {
                var document = maker.document()
                let body = try document.canonicalBytes()
                let result = try selector.matches(body.span.bytes, id: "doc1", revision: revision)
                // As it is read again: -0 and 2^53 as a double are integers there.
                document = try #require(try JSONValue(parsing: body.span.bytes).objectValue)
                document["_id"] = "doc1"
                document["_rev"] = "1-a"
                let expected = try reference.matches(.object(document))
                try #require(
                    result == expected,
                    "seed \(seed), round \(round): \(json) on \(JSONValue.object(document))"
                )
                compared += 1
                if result { matched += 1 }
            }
        }
        // Both results are frequent, or little would be compared.
        #expect(matched * 20 > compared && matched * 20 < compared * 19, "\(matched) of \(compared)")
    }
}
