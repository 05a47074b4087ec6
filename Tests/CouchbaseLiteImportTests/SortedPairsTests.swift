import SetteeProgramSupport
import StorageConformance
import Testing

@testable import SetteeCouchbaseLiteImport

/// The numbers of all revisions were in memory at once.
@Suite("Numbers of rows that are sorted on the disk")
struct SortedPairsTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Some more than two runs, one run, less than a block, none.
    @Test("All come back in order, and no file is left", arguments: [0, 1, 200, 65_536, 65_537, 150_000])
    func order(count: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let pairs = SortedPairs(in: folder.path)
        var expected: [RowPair] = []
        for _ in 0..<count {
            // Equal ones, too.
            let bits = Int64.random(in: 0...63, using: &random)
            let pair = RowPair(
                first: Int64.random(in: -50...Int64(count / 3), using: &random),
                second: Int64.random(in: Int64.min...Int64.max, using: &random) >> bits
            )
            expected.append(pair)
            try pairs.add(pair.first, pair.second)
        }
        expected.sort()
        // Each pass reads all of them.
        for _ in 0..<2 {
            var sorted = pairs.sorted()
            var found: [RowPair] = []
            while let pair = try sorted.next() { found.append(pair) }
            #expect(found == expected, "seed \(seed)")
            #expect(try folder.entries() == [])
        }
    }

    @Test("Those that another set lacks are found, each once")
    func missing() throws {
        let own = SortedPairs(in: folder.path)
        let others = SortedPairs(in: folder.path)
        for number in (0..<100_000).reversed() {
            try own.add(Int64(number))
            if number % 1000 == 0 { try own.add(Int64(number)) }
            if number % 7 != 3 { try others.add(Int64(number), 1) }
        }
        var found: [Int64] = []
        try own.forEach(notIn: others) { found.append($0) }
        #expect(found == (0..<100_000).filter { $0 % 7 == 3 })
        found = []
        try others.forEach(notIn: own) { found.append($0) }
        #expect(found == [])
    }
}
