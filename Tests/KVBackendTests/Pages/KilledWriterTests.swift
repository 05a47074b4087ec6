import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// A writer that dies, or a machine that loses power, in the middle of a commit leaves some of the new pages and the
/// old meta pages: none of that is damage.
@Suite struct KilledWriterTests {
    @Test(arguments: [UInt64(1), 2, 3, 4])
    func inACommit(seed: UInt64) throws {
        let folder = try PageFolder()
        try folder.open()
        var history = PageHistory(seed: seed, largestValue: 20_000)
        let copy = try PageFolder()
        defer { history.end() }
        for step in 0..<25 {
            let before = try folder.bytes
            try history.step(folder, operations: 1 + history.random.below(60))
            let after = try folder.bytes
            for round in 0..<3 {
                try copy.replace(mixture(before, after, share: [10, 50, 100][round], &history.random))
                try QuickCheck.run(path: copy.path)
                #expect(try copy.walk() == [], "seed \(seed), step \(step)")
            }
        }
    }

    /// The meta pages from before the commit, and `share` per cent of the other pages from after it.
    private func mixture(_ before: [UInt8], _ after: [UInt8], share: Int, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = before
        for start in stride(from: 8_192, to: after.count, by: 4_096) where random.chance(share, in: 100) {
            let end = start + (random.chance(5, in: 100) && start >= bytes.count ? 1_000 : 4_096)
            if end > bytes.count { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
            bytes.replaceSubrange(start..<end, with: after[start..<end])
        }
        return bytes
    }

    /// Including the first commits.
    @Test func fromTheBeginning() throws {
        let folder = try PageFolder()
        try folder.open()
        try QuickCheck.run(path: folder.path)
        for number in 0..<4 as Range<UInt8> {
            try folder.write { try folder.put([number], [1], table: 0, $0) }
            try QuickCheck.run(path: folder.path)
            #expect(try folder.walk() == [])
        }
    }
}
