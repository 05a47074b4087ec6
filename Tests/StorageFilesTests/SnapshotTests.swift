import Foundation
import SetteeStorageFiles
import StorageConformance
import StorageProtocol
import Testing

@Suite("Snapshots as other processes see them")
struct SnapshotTests {
    @Test func theOldestIsTold() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        #expect(try folder.oldestSnapshotInAnyProcess() == nil)
        let five = folder.beginSnapshot(changeCounter: 5)
        let seven = folder.beginSnapshot(changeCounter: 7)
        let again = folder.beginSnapshot(changeCounter: 5)
        let three = folder.beginSnapshot(changeCounter: 3)
        #expect(try folder.oldestSnapshotInAnyProcess() == 3)
        folder.endSnapshot(three)
        folder.endSnapshot(five)
        #expect(try folder.oldestSnapshotInAnyProcess() == 5)
        folder.endSnapshot(again)
        #expect(try folder.oldestSnapshotInAnyProcess() == 7)
        folder.endSnapshot(seven)
        #expect(try folder.oldestSnapshotInAnyProcess() == nil)
        #expect(try folder.holders().first?.oldestSnapshot == nil)
    }

    @Test func otherProcessesCountAsLongAsTheyLive() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        let reader = try ProbeProcess(["hold-snapshot", home.database, "42"])
        let doomed = try ProbeProcess(["hold-snapshot", home.database, "17"])
        _ = try (reader.line(), doomed.line())
        #expect(try folder.oldestSnapshotInAnyProcess() == 17)
        doomed.kill()
        #expect(try folder.oldestSnapshotInAnyProcess() == 42)
        #expect(try reader.end().status == 0)
        #expect(try folder.oldestSnapshotInAnyProcess() == nil)
    }

    @Test func itIsToldForHowLong() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        let reader = try ProbeProcess(["hold-snapshot", home.database, "42"])
        _ = try reader.line()
        func holder() throws -> Holder { try #require(try folder.holders().first { !$0.isOwn }) }
        let age = try #require(try holder().oldestSnapshotAge)
        #expect(age > .zero && age < .seconds(3600))
        #expect(try #require(try holder().oldestSnapshotAge) > age)
        #expect(try folder.holders().first { $0.isOwn }?.oldestSnapshotAge == nil)

        let names = try home.names(in: home.database + "/holders").map { home.database + "/holders/" + $0 }
        let page = try #require(names.first { ((try? bytes(of: $0)) ?? []).dropFirst(16).first == 42 })
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: page))
        // An older program did not write it; a time in the future is ignored.
        for byte in [UInt8(0), 0xFF] {
            try file.seek(toOffset: 296)
            try file.write(contentsOf: [UInt8](repeating: byte, count: 8))
            #expect(try holder().oldestSnapshotAge == nil)
            #expect(try holder().oldestSnapshot == 42)
        }
        #expect(try reader.end().status == 0)
    }

    /// The time is that of the oldest snapshot, not of the longest: the page's fields belong together.
    @Test func theTimeIsThatOfTheOldest() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        func age() throws -> Duration? { try folder.holders().first?.oldestSnapshotAge }
        let start = ContinuousClock.now
        let seven = folder.beginSnapshot(changeCounter: 7)
        let first = try #require(try age())
        let between = ContinuousClock.now
        let three = folder.beginSnapshot(changeCounter: 3)
        #expect(try #require(try age()) <= .now - between)
        folder.endSnapshot(three)
        let second = try #require(try age())
        #expect(second > first && second <= .now - start)
        folder.endSnapshot(seven)
        #expect(try age() == nil)
    }

    /// Against a model, with the page read back after each step.
    @Test func agreesWithAModel() throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        var generator = SeededGenerator(seed: 2_718)
        var live: [(UInt64, SnapshotToken)] = []
        for step in 0..<500 {
            if live.isEmpty || Bool.random(using: &generator) {
                let counter = UInt64.random(in: 0...20, using: &generator)
                live.append((counter, folder.beginSnapshot(changeCounter: counter)))
            } else {
                folder.endSnapshot(live.remove(at: Int.random(in: live.indices, using: &generator)).1)
            }
            #expect(try folder.oldestSnapshotInAnyProcess() == live.map(\.0).min(), "seed 2718, step \(step)")
        }
    }

    @Test func manyThreadsLeaveNothingBehind() async throws {
        let home = try TemporaryFolder()
        try home.makeDatabase()
        let folder = try DatabaseFolder.open(at: home.database)
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for round in 0..<5_000 {
                        folder.endSnapshot(folder.beginSnapshot(changeCounter: UInt64(thread + round % 7)))
                    }
                }
            }
        }
        #expect(try folder.oldestSnapshotInAnyProcess() == nil)
    }
}
