import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// What the built-in functions return, and the application's own.
@Suite struct ReduceFunctionTests {
    @Test(arguments: Storage.all)
    func integersAreAddedExactly(type: StorageType) throws {
        let cases: [(values: [JSONValue], sum: JSONValue)] = [
            ([1, 2, 3], 6),
            ([.int(.max), 1], .uint(1 << 63)),
            ([.uint(.max), .int(.min), 5], .uint(1 << 63 + 4)),
            ([.int(.min), -1, 1], .int(.min)),
            ([.uint(.max), 1], .double(0x1p64)),
            ([.int(.min), -1], .double(-0x1p63)),
            ([.int(9_007_199_254_740_993), 0.5, -0.5], .double(9_007_199_254_740_992)),
            ([1e300, 1, -1e300], 1),
            ([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1], 1),
            ([1.5, 1.5], 3),
        ]
        for (values, sum) in cases {
            try withReduction(type, .sum) { bed in
                try bed.replace(numbered(values))
                #expect(try bed.total()?.value == sum, "\(values)")
                try bed.store()
                #expect(try bed.total()?.value == sum, "\(values), stored")
            }
            #expect(try Reduce.total(of: values) == sum, "\(values)")
            #expect(try Reduce.total(of: values.reversed()) == sum, "\(values), backwards")
        }
    }

    /// Sums are rounded once: they are the same number in any order and grouping.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func sumsDoNotDependOnTheOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let values = (0..<200).map { _ -> JSONValue in
            let exponent = Int.random(in: -60...300, using: &random)
            let double = Double(sign: Bool.random(using: &random) ? .plus : .minus, exponent: exponent, significand: 1)
            return .double(double * .random(in: 1..<2, using: &random))
        }
        let all = values + values.dropFirst(3).map { .double(-($0.doubleValue ?? 0)) } + [.int(.max), .uint(.max), 7]
        // What does not cancel out: three values and the integers.
        var expected = ExactSum()
        for value in values.prefix(3) + [.int(.max), .uint(.max), 7] { try expected.add(value) }
        let wanted = try expected.value
        for _ in 0..<10 {
            var whole = ExactSum()
            var part = ExactSum()
            for value in all.shuffled(using: &random) {
                try part.add(value)
                if Int.random(in: 0..<20, using: &random) == 0 {
                    whole.add(try stored(part))
                    part = ExactSum()
                }
            }
            whole.add(part)
            #expect(try whole.value == wanted, "seed \(seed)")
        }
    }

    @Test func sumsBeyondTheRangeAreErrors() throws {
        expectError(.badRequest) { try Reduce.total(of: [1e308, 1e308]) }
        var sum = ExactSum()
        try sum.add(.double(1e308))
        try sum.add(.double(1e308))
        let kept = try stored(sum)
        expectError(.badRequest) { try kept.value }
        #expect(try Reduce.total(of: []) == 0)
        #expect(try Reduce.average(of: []) == nil)
        #expect(try Reduce.average(of: [1, 2]) == 1.5)
        expectError(.badRequest) { try Reduce.average(of: [1, "2"]) }
    }

    @Test(arguments: Storage.all, ["_sum", "_stats", "_average"])
    func onlyNumbersAreAddedUp(type: StorageType, name: String) throws {
        let reduce = try #require(Reduce(named: name))
        for value in ["secret", nil, true, [1], ["a": 1], ["secret"], [[1]], ["a": "secret"], JSONValue.null]
            as [JSONValue?]
        {
            if value == [1], name == "_sum" { continue }
            try withReduction(type, reduce) { bed in
                try bed.replace(["a": [(1, 1)], "b": [(2, value)], "c": [(3, 3)]])
                for _ in 0..<2 {
                    do {
                        _ = try bed.total()
                        Issue.record("No error for \(String(describing: value)).")
                    } catch let error as StorageError {
                        #expect(error.code == .badRequest)
                        #expect(!error.message.contains("secret"))
                    }
                    let below = IndexRange(upper: .excluding(IndexPosition(key: try bed.key(2))))
                    #expect(try bed.total(in: below)?.rowCount == 1)
                    try bed.store()
                }
            }
        }
    }

    /// What CouchDB 3 answers, with the rows in any order and reduced in any parts.
    @Test(arguments: Storage.all)
    func arraysAndObjectsAreAddedAsInCouchDB(type: StorageType) throws {
        let cases: [(values: [JSONValue], sum: JSONValue)] = [
            ([[1, 2], [3, 4], [5, 6]], [9, 12]),
            ([[1], [1, 2, 3], [], [0.5, 0.25]], [2.5, 2.25, 3]),
            ([[], []], [0]),
            ([7, [1, 2], 3], [11, 2]),
            ([[], 5], [5]),
            ([[.int(.max)], [1], [.int(.min)]], [0]),
            ([["a": 1, "b": 2], ["b": 3, "c": 4]], ["a": 1, "b": 5, "c": 4]),
            (
                [["a": ["x": 1, "y": [1]]], ["a": ["x": 2, "y": [2, 3]], "b": []]],
                ["a": ["x": 3, "y": [3, 3]], "b": []]
            ),
            ([["a": 1], ["a": [1, 1]]], ["a": [2, 1]]),
            ([[:], [:]], [:]),
            ([["\u{e9}": 1], ["e\u{301}": 2]], ["\u{e9}": 1, "e\u{301}": 2]),
        ]
        for (values, sum) in cases {
            for values in [values, values.reversed()] {
                try withReduction(type, .sum) { bed in
                    // Rows without effect, so that there are several blocks.
                    let more = sum.objectValue == nil ? [JSONValue](repeating: 0, count: 200) : []
                    try bed.replace(numbered(values + more))
                    #expect(try bed.total()?.value == sum, "\(values)")
                    try bed.store()
                    #expect(try bed.total()?.value == sum, "\(values), stored")
                    try bed.replace(["d0": []])
                    let others = try bed.total()?.value
                    try bed.store()
                    #expect(try bed.total()?.value == others)
                }
            }
        }
    }

    @Test(arguments: [[["a": 1], 1], [1, ["a": 1]], [["a": 1], [1]], [["a": 1], ["a": ["b": 1]]]] as [[JSONValue]])
    func objectsDoNotMixWithOthers(values: [JSONValue]) throws {
        try withReduction(.memory, .sum) { bed in
            try bed.replace(numbered(values))
            expectError(.badRequest) { try bed.total() }
            try bed.store()
            expectError(.badRequest) { try bed.total() }
        }
    }

    @Test func aSumDoesNotGrowWithoutLimit() throws {
        var sum = MixedSum()
        try sum.add(.object(JSONObject((0..<40_000).map { ("a\($0)", 1) })))
        try sum.add(.object(JSONObject((0..<40_000).map { ("a\($0)", 1) })))
        expectError(.badRequest) { try sum.add(.object(JSONObject((0..<40_000).map { ("b\($0)", 1) }))) }
    }

    @Test(arguments: Storage.all)
    func statisticsOfArraysAreThoseOfTheirElements(type: StorageType) throws {
        try withReduction(type, .stats) { bed in
            try bed.replace(numbered([[1, [10]], [2, [20]], [3, [-1]]]))
            let expected: JSONValue = [
                ["sum": 6, "count": 3, "min": 1, "max": 3, "sumsqr": 14],
                [["sum": 29, "count": 3, "min": -1, "max": 20, "sumsqr": 501]],
            ]
            #expect(try bed.total()?.value == expected)
            try bed.store()
            #expect(try bed.total()?.value == expected)
            for other in [[1], 1, [1, 2], [1, [2], 3]] as [JSONValue] {
                try bed.replace(["x": [(9, other)]])
                expectError(.badRequest) { try bed.total() }
            }
            try bed.replace(["x": []])
        }
    }

    @Test(arguments: Storage.all)
    func statisticsAreThoseOfCouchDB(type: StorageType) throws {
        try withReduction(type, .stats) { bed in
            try bed.replace(numbered([3, -1.5, 2, 10]))
            let expected: JSONValue = ["sum": 13.5, "count": 4, "min": -1.5, "max": 10, "sumsqr": 115.25]
            #expect(try bed.total()?.value == expected)
            try bed.store()
            #expect(try bed.total()?.value == expected)
            try bed.replace(numbered([.int(.max), .uint(.max), .int(.min), 1e100]))
            #expect(try bed.total()?.value["max"] == 1e100)
            #expect(try bed.total()?.value["min"] == .int(.min))
            #expect(try bed.total()?.value["count"] == 4)
        }
    }

    /// Numbers are compared as they are, not as doubles.
    @Test func theLeastNumberIsFoundExactly() {
        let ordered: [JSONValue] = [
            -1e300, .int(.min), .int(.min + 1), -2.5, -2, -0.5, 0, 0.25, .double(0.5), 1, .int(.max - 1), .int(.max),
            .double(0x1p63), .uint(1 << 63 + 1), .uint(.max), .double(0x1p64), 1e300,
        ]
        for (x, a) in ordered.enumerated() {
            for (y, b) in ordered.enumerated() {
                #expect(ReducedStatistics.isLess(a, b) == (x < y), "\(a), \(b)")
            }
        }
    }

    /// The standard error is 2.3 per cent; for these keys no estimate is off by more than four of them.
    @Test(arguments: Storage.all)
    func distinctKeysAreEstimated(type: StorageType) throws {
        try withReduction(type, .approxCountDistinct) { bed in
            for (documents, distinct) in [(1, 1), (50, 7), (3_000, 2_000)] {
                var changed: [String: [(key: JSONValue, value: JSONValue?)]] = [:]
                for number in 0..<documents { changed["d\(number)"] = [(.int(Int64(number % distinct)), nil)] }
                try bed.replace(changed)
                for _ in 0..<2 {
                    let estimate = try #require(try bed.total()?.value.intValue)
                    #expect(abs(Int(estimate) - distinct) <= distinct * 92 / 1000, "\(estimate) of \(distinct)")
                    try bed.store()
                }
            }
        }
    }

    @Test func estimatesStayNearForManyKeys() {
        var sketch = DistinctSketch()
        var seen = 0
        for wanted in [1, 10, 100, 1_000, 5_000, 20_000, 100_000] {
            while seen < wanted {
                unsafe sketch.add(Array("[\"key\",\(seen)]".utf8).span.bytes)
                seen += 1
            }
            let error = abs(Double(sketch.estimate) - Double(wanted)) / Double(wanted)
            #expect(error < 0.092, "\(sketch.estimate) of \(wanted)")
        }
        #expect(DistinctSketch().estimate == 0)
    }

    @Test func functionsHaveNames() {
        for reduce in [Reduce.count, .sum, .stats, .approxCountDistinct, .average] {
            #expect(Reduce(named: reduce.name)?.identity == reduce.identity)
        }
        #expect(Reduce.count.name == "_count")
        #expect(Reduce.approxCountDistinct.name == "_approx_count_distinct")
        #expect(Reduce(named: "sum") == nil)
        #expect(Reduce(named: "closure") == nil)
        let own = Reduce(version: "7") { _ in nil }
        #expect(own.name == "closure")
        #expect(own.version == "7")
    }

    /// Many rows are reduced in batches, in the order of the rows, and the results are combined at the end.
    @Test(arguments: Storage.all)
    func anApplicationsFunctionGetsAllRowsOnce(type: StorageType) throws {
        let reduce = Reduce(version: "1") { input in
            if input.isRereduce { return .array(input.values.flatMap { $0.arrayValue ?? [] }) }
            return .array(zip(input.keys, input.values).map { [$0, $1] })
        }
        try withReduction(type, reduce) { bed in
            var changed: [String: [(key: JSONValue, value: JSONValue?)]] = [:]
            for number in 0..<1_000 {
                changed["d\(number)"] = [(.int(Int64(number)), number % 3 == 0 ? nil : .string("v\(number)"))]
            }
            try bed.replace(changed)
            let expected = JSONValue.array(
                (0..<1_000).map { [.int(Int64($0)), $0 % 3 == 0 ? .null : .string("v\($0)")] }
            )
            #expect(try bed.total()?.value == expected)
            try bed.store()
            #expect(try bed.total()?.value == expected)
        }
    }

    private func numbered(_ values: [JSONValue]) -> [String: [(key: JSONValue, value: JSONValue?)]] {
        var documents: [String: [(key: JSONValue, value: JSONValue?)]] = [:]
        for (index, value) in values.enumerated() { documents["d\(index)"] = [(.int(Int64(index)), value)] }
        return documents
    }

    /// Written and read again.
    private func stored(_ sum: ExactSum) throws -> ExactSum {
        var writer = SummaryWriter()
        writer.append(sum)
        var offset = 0
        let read = unsafe SummaryReader.sum(writer.bytes.span.bytes, &offset)
        #expect(offset == writer.bytes.count)
        return try #require(read)
    }
}
