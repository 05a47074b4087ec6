import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// Whatever was changed and stored before, in any order: a reduction is that of the rows in the range.
@Suite struct RandomReductionTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    static let kinds = ["_count", "_sum", "_stats", "_average", "_approx_count_distinct", "closure"]

    @Test(arguments: Storage.all, kinds)
    func reductionsAreThoseOfTheRows(type: StorageType, name: String) throws {
        for seed in UInt64(0)..<(RandomReductionTests.isLong ? 12 : 2) {
            var random = SeededGenerator(seed: seed)
            let collator = seed == 0 ? Collator.unicode : .raw
            try withReduction(type, RandomReductionTests.reduce(name), collator: collator) { bed in
                for step in 0..<8 {
                    try change(bed, &random, documents: step == 0 ? 400 : Int.random(in: 1...60, using: &random))
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: try bed.store(upTo: Int.random(in: 1...400, using: &random))
                    case 1: break
                    default:
                        let isDone = try bed.store()
                        #expect(isDone, "seed \(seed), step \(step)")
                    }
                    #expect(try bed.check() == 0, "seed \(seed), step \(step)")
                    for _ in 0..<8 { try compare(bed, &random, "seed \(seed), step \(step)") }
                }
            }
        }
    }

    /// The same rows have the same summaries, whatever happened before.
    @Test(arguments: Storage.all)
    func summariesDoNotDependOnHistory(type: StorageType) throws {
        var random = SeededGenerator(seed: 7)
        var long: [[UInt8]: [UInt8]] = [:]
        var rows: [KnownRow] = []
        try withReduction(type, .sum) { bed in
            for _ in 0..<20 {
                try change(bed, &random, documents: 60)
                try bed.store(upTo: 300)
            }
            while try !bed.store(upTo: 40) {}
            long = try bed.summaries()
            rows = bed.rows
        }
        try withReduction(type, .sum) { bed in
            var documents: [String: [(key: JSONValue, value: JSONValue?)]] = [:]
            for row in rows.sorted(by: { $0.emit < $1.emit }) {
                documents[String(decoding: row.id, as: UTF8.self), default: []].append((row.keyJSON, row.valueJSON))
            }
            try bed.replace(documents)
            try bed.store()
            #expect(try bed.summaries() == long)
            #expect(long.count > 10)
        }
    }

    static func reduce(_ name: String) -> Reduce {
        // Combines values in a way that tells rows from partial results and keeps all of them.
        Reduce(named: name)
            ?? Reduce(version: "1") { input in
                if !input.isRereduce {
                    #expect(input.keys.count == input.values.count && !input.keys.isEmpty)
                    let texts = zip(input.keys, input.values).map { "\($0.0)=\($0.1)" }
                    return .array(texts.sorted().map { .string($0) })
                }
                #expect(input.keys.isEmpty && input.values.count > 1)
                return .array(
                    input.values.flatMap { $0.arrayValue ?? [] }.sorted {
                        ($0.stringValue ?? "") < ($1.stringValue ?? "")
                    }
                )
            }
    }

    private func change(_ bed: ReductionFixture, _ random: inout SeededGenerator, documents: Int) throws {
        var changed: [String: [(key: JSONValue, value: JSONValue?)]] = [:]
        let known = bed.ids
        for _ in 0..<documents {
            let isOld = !known.isEmpty && Bool.random(using: &random)
            let id = isOld ? known.randomElement(using: &random) ?? "" : "d\(Int.random(in: 0..<3_000, using: &random))"
            let count = [0, 1, 1, 1, 2, 3].randomElement(using: &random) ?? 1
            changed[id] = (0..<count).map { _ in (randomKey(&random), randomValue(&random)) }
        }
        try bed.replace(changed)
    }

    private func randomKey(_ random: inout SeededGenerator) -> JSONValue {
        let words: [JSONValue] = ["a", "b", "B", 1, 2, 2.5, nil, true, ["x"], ["y": 1], "\u{e9}"]
        func word() -> JSONValue { words.randomElement(using: &random) ?? .null }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return word()
        case 1: return []
        case 2: return [word()]
        case 3...5: return [word(), word()]
        default: return [word(), word(), .int(.random(in: 0..<50, using: &random))]
        }
    }

    private func randomValue(_ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: .int(.random(in: .min ... .max, using: &random))
        case 1: .uint(.max)
        case 2: .double(.random(in: -1...1, using: &random))
        case 3: .double(.random(in: -1e18...1e18, using: &random))
        default: .int(.random(in: -1_000...1_000, using: &random))
        }
    }

    private func compare(_ bed: ReductionFixture, _ random: inout SeededGenerator, _ comment: String) throws {
        let groupings: [ReductionGrouping] = [.none, .none, .exact, .level(1), .level(2), .level(3)]
        let grouping = groupings.randomElement(using: &random) ?? .none
        let descending = Bool.random(using: &random)
        let range = IndexRange(lower: bound(bed, &random), upper: bound(bed, &random))
        let groups = try bed.groups(grouping, in: range, descending: descending)
        let expected = try bed.expectedGroups(grouping, in: range, descending: descending)
        let comment = Comment(rawValue: "\(comment), \(grouping), \(descending ? "descending" : "ascending"), \(range)")
        guard groups.count == expected.count else {
            Issue.record("\(groups.count) groups, not \(expected.count): \(comment)")
            return
        }
        for (group, (key, rows)) in zip(groups, expected) {
            #expect(group.rowCount == UInt64(rows.count), comment)
            let found = try group.keyJSON.map { try JSONValue(parsing: $0) }
            #expect(found == key, comment)
            let value = try naive(bed.tree.reduce, rows)
            #expect(isNear(group.value, value), "\(group.value), not \(value): \(comment)")
        }
    }

    private func bound(_ bed: ReductionFixture, _ random: inout SeededGenerator) -> IndexRange.Bound {
        guard let row = bed.rows.randomElement(using: &random) else { return .open }
        var position = IndexPosition(key: row.key)
        switch Int.random(in: 0..<6, using: &random) {
        case 0...1: return .open
        case 2: break
        case 3: position.documentID = row.id
        case 4: position = IndexPosition(key: Array(row.key.prefix(3)))
        default:
            position.documentID = row.id
            position.emit = UInt32(row.emit)
        }
        return Bool.random(using: &random) ? .including(position) : .excluding(position)
    }

    /// The reduction with plain arithmetic.
    private func naive(_ reduce: Reduce, _ rows: [KnownRow]) throws -> JSONValue {
        let values = rows.map { $0.valueJSON ?? .null }
        let doubles = values.map { $0.doubleValue ?? .nan }
        switch reduce.name {
        case "_count": return JSONValue(rows.count)
        case "_sum": return naiveSum(values)
        case "_average": return .double((naiveSum(values).doubleValue ?? .nan) / Double(rows.count))
        case "_stats":
            let squares = doubles.reduce(0) { $0 + $1 * $1 }
            return [
                "sum": naiveSum(values), "count": JSONValue(rows.count), "min": JSONValue(doubles.min() ?? .nan),
                "max": JSONValue(doubles.max() ?? .nan), "sumsqr": JSONValue(squares),
            ]
        case "_approx_count_distinct":
            // How accurate an estimate is gets tested elsewhere: here it must be that of the rows, whatever was stored.
            return .int(estimate(of: try rows.map { try $0.keyJSON.canonicalBytes() }))
        default:
            return .array(rows.map { "\($0.keyJSON)=\($0.valueJSON ?? .null)" }.sorted().map { .string($0) })
        }
    }

    private func estimate(of keys: [[UInt8]]) -> Int64 {
        var sketch = DistinctSketch()
        for key in keys { sketch.add(key.span.bytes) }
        return sketch.estimate
    }

    private func naiveSum(_ values: [JSONValue]) -> JSONValue {
        var integers: Int128 = 0
        var fractions = 0.0
        var isFractional = false
        for value in values {
            switch value {
            case .int(let number): integers += Int128(number)
            case .uint(let number): integers += Int128(number)
            default:
                let double = value.doubleValue ?? .nan
                integers += Int128(double.rounded(.towardZero))
                fractions += double - double.rounded(.towardZero)
                isFractional = true
            }
        }
        if !isFractional, let sum = Int64(exactly: integers) { return .int(sum) }
        if !isFractional, let sum = UInt64(exactly: integers) { return .uint(sum) }
        return .double(Double(integers) + fractions)
    }

    /// Integers must be equal.
    private func isNear(_ a: JSONValue, _ b: JSONValue) -> Bool {
        if a == b { return true }
        if let x = a.objectValue, let y = b.objectValue {
            return x.map(\.key) == y.map(\.key)
                && zip(x, y).allSatisfy { isNear($0.value, $1.value) }
        }
        switch (a, b) {
        case (.double(let x), _), (_, .double(let x)):
            guard let y = a == .double(x) ? b.doubleValue : a.doubleValue else { return false }
            return abs(x - y) <= 1e-12 * max(abs(x), abs(y)) + 1e-14
        default: return false
        }
    }
}
