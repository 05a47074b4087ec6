import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// What stored summaries save, and what happens to them.
@Suite struct SummaryTests {
    /// Counts the rows and parts that it was given, and fails for some rows.
    private final class Counter: Sendable {
        let rows = Locked(0)
        let parts = Locked(0)
        let refused = Locked<ClosedRange<Int64>?>(nil)

        func reset(refusing: ClosedRange<Int64>? = nil) {
            rows.withLock { $0 = 0 }
            parts.withLock { $0 = 0 }
            refused.withLock { $0 = refusing }
        }

        var reduce: Reduce {
            Reduce(version: "1") { [self] input in
                if input.isRereduce {
                    parts.withLock { $0 += input.values.count }
                    return .int(input.values.reduce(0) { $0 + ($1.intValue ?? 0) })
                }
                rows.withLock { $0 += input.keys.count }
                let range = refused.withLock(\.self)
                if let range, input.keys.contains(where: { range.contains($0.intValue ?? 0) }) {
                    throw ApplicationError(number: 3)
                }
                return .int(Int64(input.keys.count))
            }
        }
    }

    private func numbers(_ range: Range<Int>) -> [String: [(key: JSONValue, value: JSONValue?)]] {
        var documents: [String: [(key: JSONValue, value: JSONValue?)]] = [:]
        for number in range { documents["d\(number)"] = [(.int(Int64(number)), 1)] }
        return documents
    }

    private func range(_ bed: ReductionFixture, _ from: Int64, upTo: Int64) throws -> IndexRange {
        IndexRange(
            lower: .including(IndexPosition(key: try bed.key(.int(from)))),
            upper: .excluding(IndexPosition(key: try bed.key(.int(upTo))))
        )
    }

    @Test(arguments: Storage.all)
    func storedBlocksAreNotReducedAgain(type: StorageType) throws {
        let counter = Counter()
        try withReduction(type, counter.reduce) { bed in
            try bed.replace(numbers(0..<5_000))
            #expect(try bed.total()?.value == 5_000)
            #expect(counter.rows.withLock(\.self) == 5_000)
            try bed.store()
            counter.reset()
            #expect(try bed.total()?.value == 5_000)
            #expect(counter.rows.withLock(\.self) == 0)
            for descending in [false, true] {
                counter.reset()
                let within = try range(bed, 700, upTo: 4_300)
                #expect(try bed.groups(in: within, descending: descending).first?.value == 3_600)
                // The rows before the first block and after the last one, and the blocks of two levels.
                #expect(counter.rows.withLock(\.self) < 600)
                #expect(counter.parts.withLock(\.self) < 200)
            }
            // One change only affects its own blocks.
            try bed.replace(["d2500": [(2_500, 1), (2_501, 1)]])
            counter.reset()
            try bed.store()
            #expect(counter.rows.withLock(\.self) < 400)
            counter.reset()
            #expect(try bed.total()?.value == 5_001)
            #expect(counter.rows.withLock(\.self) == 0)
        }
    }

    /// A range query used to reduce rows outside its range, because it made summaries on the way.
    @Test(arguments: Storage.all)
    func rowsOutsideTheRangeAreNeverReduced(type: StorageType) throws {
        let counter = Counter()
        try withReduction(type, counter.reduce) { bed in
            try bed.replace(numbers(0..<3_000))
            for isStored in [false, true] {
                if isStored { try bed.store() }
                for (from, to) in [(0, 1_000), (1_000, 2_000), (1_999, 2_001), (2_990, 3_000), (500, 500)]
                    as [(Int64, Int64)]
                {
                    for descending in [false, true] {
                        let within = try range(bed, from, upTo: to)
                        // Stored partial results may be combined, but no row outside is passed in.
                        counter.reset(refusing: to...Int64.max)
                        #expect(
                            try bed.groups(in: within, descending: descending).first?.rowCount ?? 0 == UInt64(to - from)
                        )
                        counter.reset(refusing: Int64.min...(from - 1))
                        #expect(
                            try bed.groups(in: within, descending: descending).first?.rowCount ?? 0 == UInt64(to - from)
                        )
                        #expect(counter.rows.withLock(\.self) <= Int(to - from))
                    }
                }
                counter.reset()
            }
        }
    }

    /// An error thrown by a function is passed on by queries that need the row, and by no others; storing summaries
    /// leaves the block out.
    @Test(arguments: Storage.all)
    func errorsOfAFunctionComeOutAsTheyAre(type: StorageType) throws {
        let counter = Counter()
        try withReduction(type, counter.reduce) { bed in
            try bed.replace(numbers(0..<3_000))
            counter.reset(refusing: 1_500...1_500)
            for _ in 0..<2 {
                expectApplicationError(3) { try bed.total() }
                expectApplicationError(3) { try bed.groups(.exact) }
                expectApplicationError(3) { try bed.groups(.exact, descending: true) }
                #expect(try bed.total(in: range(bed, 0, upTo: 1_500))?.value == 1_500)
                #expect(try bed.total(in: range(bed, 1_501, upTo: 3_000))?.value == 1_499)
                #expect(try bed.groups(.exact, limit: 1_000).count == 1_000)
                #expect(try bed.store())
                #expect(try bed.check() == 0)
            }
            #expect(try bed.summaries().count > 50)
            counter.reset()
            #expect(try bed.total()?.value == 3_000)
            let before = try bed.summaries().count
            try bed.store()
            #expect(try bed.summaries().count > before)
            // Errors of the caller's closure are passed on, too.
            let transaction = try bed.engine.beginRead()
            defer { transaction.end() }
            let walk = GroupWalk(tree: bed.tree, grouping: .exact, range: .all, descending: false)
            expectApplicationError(9) { try walk.forEach(in: transaction) { _ in throw ApplicationError(number: 9) } }
        }
    }

    /// A result that has no JSON text is returned all the same, but not stored.
    @Test(arguments: Storage.all)
    func resultsWithoutTextAreNotStored(type: StorageType) throws {
        let reduce = Reduce(version: "1") { input in
            input.isRereduce || input.keys.contains(700) ? .double(.infinity) : 0
        }
        try withReduction(type, reduce) { bed in
            try bed.replace(numbers(0..<1_000))
            #expect(try bed.store())
            #expect(try bed.total()?.value.doubleValue == .infinity)
            #expect(try bed.total(in: range(bed, 10, upTo: 11))?.value == 0)
        }
    }

    /// Another function, or another version of it, does not use what is stored.
    @Test(arguments: Storage.all)
    func anotherReductionStoresAnew(type: StorageType) throws {
        try withReduction(type, .count) { bed in
            try bed.replace(numbers(0..<1_000))
            try bed.store()
            let counts = try bed.summaries()
            bed.tree = ReductionTree(index: ReductionFixture.index, reduce: .sum)
            #expect(try bed.total()?.value == 1_000)
            #expect(try bed.check() == 0)
            // A change under the new reduction removes what the old one stored.
            try bed.replace(["d5": []])
            #expect(try bed.summaries().isEmpty)
            #expect(try bed.store())
            #expect(try bed.summaries().count > 10)
            #expect(try bed.summaries() != counts)
            #expect(try bed.total()?.value == 999)
            bed.tree = ReductionTree(index: ReductionFixture.index, reduce: Reduce(version: "2") { _ in 5 })
            #expect(try bed.total()?.value == 5)
            try bed.store()
            #expect(try bed.total()?.value == 5)
        }
    }

    @Test(arguments: Storage.all)
    func damageIsCounted(type: StorageType) throws {
        try withReduction(type, .sum) { bed in
            try bed.replace(numbers(0..<1_200))
            try bed.store()
            #expect(try bed.check() == 0)
            let summaries = try bed.summaries()
            for (key, value) in summaries.sorted(by: { compareBytes($0.key, $1.key) < 0 }).dropFirst().prefix(12) {
                var wrong = value
                wrong[wrong.count - 2] ^= 1
                try bed.put(key, wrong)
                #expect(try bed.check() == 1)
                try bed.put(key, value)
            }
            // For a block that does not exist.
            let (key, value) = try #require(summaries.first { $0.key.first == 1 && $0.key.count > 1 })
            try bed.put([2] + key.dropFirst().dropLast() + [77], value)
            #expect(try bed.check() == 1)
            try bed.put([9, 9], [])
            #expect(try bed.check() == 2)
            let tree = bed.tree
            try bed.engine.write { (transaction) throws(StorageError) in try tree.dropSummaries(in: transaction) }
            #expect(try bed.check() == 0)
            #expect(try bed.total()?.value == 1_200)
        }
    }

    /// Whatever summaries are stored, nothing traps; if they are of no use, the rows are read.
    @Test(arguments: Reduce.all, 0..<4 as Range<UInt64>)
    func damagedSummariesAreReadWithoutTrapping(name: String, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        try withReduction(.memory, RandomReductionTests.reduce(name)) { bed in
            try bed.replace(numbers(0..<600))
            try bed.store()
            for (key, value) in try bed.summaries() {
                for _ in 0..<20 {
                    var damaged = value
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: damaged.removeLast(Int.random(in: 0...damaged.count, using: &random))
                    case 1: damaged.append(.random(in: 0...255, using: &random))
                    default:
                        damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(
                            in: 0...255,
                            using: &random
                        )
                    }
                    _ = unsafe BlockSummary(damaged.span.bytes, by: bed.tree.reduce)
                    _ = unsafe BlockSummary.edges(key: key.span.bytes, value: damaged.span.bytes)
                }
                if key.count > 1 { try bed.put(key, [0]) }
            }
            if name != "closure" { #expect(try bed.total()?.rowCount == 600) }
            try bed.replace(numbers(0..<600).mapValues { _ in [] })
            #expect(try bed.total() == nil)
            let tree = bed.tree
            try bed.engine.write { (transaction) throws(StorageError) in try tree.dropSummaries(in: transaction) }
        }
    }

    /// In separate transactions, each reading few rows.
    @Test(arguments: Storage.all)
    func summariesAreStoredInSteps(type: StorageType) throws {
        try withReduction(type, .sum) { bed in
            try bed.replace(numbers(0..<3_000))
            #expect(try !bed.store(upTo: 0))
            var steps = 1
            while try !bed.store(upTo: 200) {
                steps += 1
                #expect(try bed.total()?.value == 3_000)
            }
            #expect(10...20 ~= steps)
            #expect(try bed.store(upTo: 0))
        }
    }

    /// Long keys and IDs at the ends of blocks.
    @Test(arguments: Storage.all)
    func longKeysAreNoObstacle(type: StorageType) throws {
        try withReduction(type, .count) { bed in
            let long = String(repeating: "x", count: 5_000)
            var documents: [String: [(key: JSONValue, value: JSONValue?)]] = [:]
            for number in 0..<150 { documents["\(long)\(number)"] = [([.string(long), .int(Int64(number))], nil)] }
            try bed.replace(documents)
            try bed.store()
            #expect(try bed.total()?.value == 150)
            #expect(try bed.groups(.level(1)).map(\.value) == [150])
            #expect(try bed.groups(.level(2), descending: true).count == 150)
            try bed.replace(["\(long)77": []])
            #expect(try bed.groups(.level(1), descending: true).map(\.value) == [149])
        }
    }
}

extension Reduce {
    fileprivate static let all = RandomReductionTests.kinds
}
