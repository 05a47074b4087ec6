import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Conditions mean the same wherever their values come from. A literal used to be compared by its text, a parameter by
/// the order of keys, in which "é" composed and decomposed are equal, and so are "a" and "a\u{0}"; and with a
/// parameter, a missing value was found as null.
@Suite struct ConditionComparisonTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
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
                var body: JSONObject = ["n": .int(Int64(number)), "g": "é"]
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

    private let place = QueryPlace("/v")

    @Test(arguments: Storage.all, ComparisonOracle.Comparison.allCases)
    func parametersAsTheOracle(_ type: StorageType, _ comparison: ComparisonOracle.Comparison) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let condition = comparison.predicate(place, .parameter("p"))
            let group = QueryPlace("/g") == .parameter("g")
            let builders = [
                "a range": try QueryBuilder(bed.database, where: condition),
                "a filter": try QueryBuilder(bed.database, where: condition, orderBy: [.ascending("/n")]),
                "a range behind a value": try QueryBuilder(bed.database, where: group && condition),
                "a range backwards": try QueryBuilder(bed.database, where: condition, orderBy: [.descending("/v")]),
                "twice": try QueryBuilder(bed.database, where: condition && condition),
            ]
            for operand in Self.values.compactMap({ $0 }) {
                let wanted = try expected(comparison, operand)
                for (shape, builder) in builders {
                    let parameters = shape == "a range behind a value" ? ["p": operand, "g": "é"] : ["p": operand]
                    let found = try ids(builder.query(parameters))
                    #expect(found == wanted, "/v \(comparison.rawValue) \(operand), as \(shape)")
                }
            }
        }
    }

    @Test(arguments: Storage.all, ComparisonOracle.Comparison.allCases)
    func literalsAsTheOracle(_ type: StorageType, _ comparison: ComparisonOracle.Comparison) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            for operand in Self.values.compactMap({ $0 }) {
                let wanted = try expected(comparison, operand)
                let builder = try QueryBuilder(bed.database, where: comparison.predicate(place, .value(operand)))
                #expect(try ids(builder.query()) == wanted, "/v \(comparison.rawValue) \(operand)")
                try bed.database.view(builder.viewName).delete()
            }
        }
    }

    /// The order of the keys has no part in it.
    @Test(arguments: Storage.all) func definitionsAsTheOracle(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try fill(bed.database)
            let operands = Self.values.compactMap { $0 }
            for comparison in ViewDefinition.Condition.Comparison.allCases {
                for operand in stride(from: 0, to: operands.count, by: Self.isLong ? 1 : 6).map({ operands[$0] }) {
                    let definition = ViewDefinition(
                        keys: [try JSONPointer("/n")],
                        conditions: [.init(try JSONPointer("/v"), comparison, operand)],
                        collation: .raw
                    )
                    try bed.view().define(definition)
                    let same = try #require(ComparisonOracle.Comparison(rawValue: comparison.rawValue))
                    let found = try ids(bed.view().query())
                    #expect(try found == expected(same, operand), "/v \(comparison.rawValue) \(operand)")
                }
            }
        }
    }

    /// A value that is too long for a key is in no index by a parameter, and so satisfies no condition.
    @Test(arguments: Storage.all) func whatCannotBeAKeySatisfiesNoCondition(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let long = String(repeating: "x", count: Collator.maximumKeyLength + 1)
            try bed.database["long"].put(["v": .string(long)])
            try bed.database["short"].put(["v": "x"])
            for comparison in ComparisonOracle.Comparison.allCases {
                let wanted: Set<String> = try ComparisonOracle.holds("x", comparison, "w") ? ["short"] : []
                let open = try QueryBuilder(bed.database, where: comparison.predicate(place, .parameter("p")))
                #expect(try ids(open.query(["p": "w"])) == wanted, "\(comparison.rawValue)")
                let fixed = try QueryBuilder(bed.database, where: comparison.predicate(place, .value("w")))
                #expect(try ids(fixed.query()) == wanted, "\(comparison.rawValue)")
                // It cannot be an operand either.
                expectError(.badParameter, "\(comparison.rawValue)") {
                    _ = try open.query(["p": .string(long)]).run()
                }
                expectError(.badParameter, "\(comparison.rawValue)") {
                    _ = try QueryBuilder(bed.database, where: comparison.predicate(place, .value(.string(long))))
                        .query().run()
                }
            }
        }
    }
}
