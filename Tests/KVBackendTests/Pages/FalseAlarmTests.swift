internal import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// What LMDB writes is never called damaged.
@Suite struct FalseAlarmTests {
    @Test(arguments: 1...UInt64(12))
    func randomHistories(seed: UInt64) throws {
        let folder = try PageFolder()
        try folder.open()
        var history = PageHistory(seed: seed)
        defer { history.end() }
        for step in 0..<60 {
            try history.step(folder, operations: 1 + history.random.below(step % 7 == 0 ? 400 : 60))
            try QuickCheck.run(path: folder.path)
            #expect(try folder.walk() == [], "seed \(seed), step \(step)")
        }
        history.end()
        folder.close()
        try QuickCheck.run(path: folder.path)
    }
}
