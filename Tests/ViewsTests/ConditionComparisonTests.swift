import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Conditions of definitions compare values as docs/guide/querying.md says. In the order of keys "é" composed and
/// decomposed are equal, and so are "a" and "a\u{0}"; for `==` they are not.
@Suite struct ConditionComparisonTests {
    /// Nil: there is no value.
    private static let values: [JSONValue?] = [
        nil, .null, false, true, 0, .double(-0.0), 1, 2, -1, 1.5, .int(9_007_199_254_740_992),
        .double(9_007_199_254_740_992), .int(9_007_199_254_740_993), .int(.max), .int(.min), .uint(.max),
        .double(18_446_744_073_709_551_616), 1e300, -1e300, .double(.leastNonzeroMagnitude), "", "a", "a\u{0}", "\u{0}",
        "A", "b", "ab", "é", "e\u{301}", "e\u{301}x", "K", "\u{212A}", "ß", "ss", "a\u{AD}", "\u{1F600}", "\u{FFFF}",
        [],
        [nil], [1], [1, 2], [.int(9_007_199_254_740_992)], [.double(9_007_199_254_740_992)], ["a"], ["a\u{0}"], ["é"],
        ["e\u{301}"], [[1]], [[:]], [:], ["a": 1], ["a": "é"], ["a": "e\u{301}"], ["é": 1], ["e\u{301}": 1],
        ["a": 1, "b": 2],
    ]

    private func fill(_ database: Database) throws {
        try database.inTransaction {
            for (number, value) in Self.values.enumerated() {
                var body: JSONObject = ["n": .int(Int64(number))]
                if let value { body["v"] = value }
                try database["\(number)"].put(body)
            }
        }
    }

    private func expected(_ comparison: ComparisonOracle.Comparison, _ operand: JSONValue) throws -> Set<String> {
        let found = try Self.values.enumerated().filter {
            try ComparisonOracle.holds($0.element, comparison, operand)
        }
        return Set(found.map { "\($0.offset)" })
    }

    private func ids(_ query: DatabaseQuery) throws -> Set<String> {
        Set(try query.run().compactMap { $0.documentID?.string })
    }

    /// The order of the keys has no part in it.
    @Test(arguments: Storage.all, ViewDefinition.Condition.Comparison.allCases)
    func definitionsAsTheOracle(_ type: StorageType, _ comparison: ViewDefinition.Condition.Comparison) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let same = try #require(ComparisonOracle.Comparison(rawValue: comparison.rawValue))
            for (number, operand) in Self.values.compactMap({ $0 }).enumerated() {
                let definition = ViewDefinition(
                    keys: [try JSONPointer("/n")],
                    conditions: [.init(try JSONPointer("/v"), comparison, operand)],
                    collation: number % 2 == 0 ? .raw : .unicode
                )
                try bed.view().define(definition)
                let found = try ids(bed.view().query())
                #expect(try found == expected(same, operand), "/v \(comparison.rawValue) \(operand)")
            }
        }
    }

    /// A value that is too long for a key satisfies no condition.
    @Test(arguments: Storage.all) func whatCannotBeAKeySatisfiesNoCondition(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let long = String(repeating: "x", count: Collator.maximumKeyLength + 1)
            try bed.database["long"].put(["v": .string(long)])
            try bed.database["short"].put(["v": "x"])
            for comparison in ViewDefinition.Condition.Comparison.allCases {
                func define(_ operand: JSONValue) throws {
                    let place = try JSONPointer("/v")
                    try bed.view().define(
                        ViewDefinition(keys: [try JSONPointer("/_id")], conditions: [.init(place, comparison, operand)])
                    )
                }
                try define("w")
                let same = try #require(ComparisonOracle.Comparison(rawValue: comparison.rawValue))
                let wanted: Set<String> = try ComparisonOracle.holds("x", same, "w") ? ["short"] : []
                #expect(try ids(bed.view().query()) == wanted, "\(comparison.rawValue)")
                // It cannot be an operand either.
                expectError(.badParameter, "\(comparison.rawValue)") {
                    try define(.string(long))
                    _ = try bed.view().query().run()
                }
            }
        }
    }
}
