internal import CheckpointRace
internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// The log is moved into the file beside writers and readers.
@Suite(.serialized) struct CheckpointTests {
    private static let frame = 4096 + 24

    @Test func theLogIsMovedAfterTheCommit() throws {
        let store = try TestStore()
        let engine = try sqlite(store)
        try fill(engine, 0..<300)
        #expect(try #require(store.size("-wal")) > Int(SQLiteEngine.framesAtEase) * Self.frame)
        let first = try #require(store.size(""))
        // The next commits finish it, and the log begins again.
        var number = 300
        while try #require(engine.state.withLock { $0.writer }).framesInLog > 100 {
            try fill(engine, number..<number + 1)
            number += 1
            try #require(number < 10_000, "The log never begins again.")
            Thread.sleep(forTimeInterval: 0.01)
        }
        // All may have been moved before `first` was read.
        let last = try #require(store.size(""))
        #expect(last > 200 * 16_000 && last >= first)
        #expect(try engine.problems() == [])
        engine.close()
        #expect(store.size("-wal") == nil)
    }

    /// A writer that never pauses fills the log only so far.
    @Test func theLogStaysShort() throws {
        let store = try TestStore()
        let engine = try sqlite(store)
        for start in stride(from: 0, to: 6000, by: 100) { try fill(engine, start..<start + 100) }
        // Some 30,000 frames were written.
        #expect(try #require(store.size("-wal")) < (Int(SQLiteEngine.framesAtMost) + 1000) * Self.frame)
        #expect(try engine.read { (now) throws(StorageError) in try now.ids().count } == 6000)
        engine.close()
    }

    @Test func aRequestedCheckpointLeavesAnEmptyLog() throws {
        let store = try TestStore()
        let engine = try sqlite(store)
        for round in 0..<5 {
            try fill(engine, round * 400..<(round + 1) * 400)
            try engine.checkpoint()
            #expect(store.size("-wal") == 0)
        }
        engine.close()
    }

    /// A checkpoint that outlived its engine would remove the log of the next store in this place.
    @Test func closingWaitsForIt() throws {
        let store = try TestStore()
        for round in 0..<10 {
            let engine = try sqlite(store)
            try fill(engine, 0..<260 + round * 10)
            engine.close()
            #expect(store.size("-wal") == nil && store.size("-shm") == nil)
            for name in try FileManager.default.contentsOfDirectory(atPath: store.directory) {
                try FileManager.default.removeItem(atPath: store.directory + "/" + name)
            }
            let next = try sqlite(store)
            try fill(next, 0..<3)
            next.close()
            let again = try sqlite(store)
            #expect(try again.read { (now) throws(StorageError) in try now.ids().count } == 3)
            again.close()
            try FileManager.default.removeItem(atPath: store.path)
        }
    }

    @Test func withoutAConnectionOfItsOwnCommitsMoveTheLog() throws {
        let store = try TestStore()
        let engine = try sqlite(store)
        engine.backgroundCheckpoint.close()
        try fill(engine, 0..<300)
        #expect(try #require(store.size("")) > 200 * 16_000)
        engine.close()
    }

    @Test func whereItsConnectionsCannotBeOpenedCommitsMoveTheLog() throws {
        let store = try TestStore()
        let settings = try ConnectionSettings(
            path: store.directory + "/missing.sqlite3",
            options: StorageOptions(),
            kind: .plain(.linked())
        )
        let background = BackgroundCheckpoint(settings)
        for _ in 0..<2 {
            #expect(background.begin() == .begun)
            background.wait()
            #expect(background.begin() == .unavailable)
            #expect(!background.takeCatchingUp())
        }
        background.close()
        #expect(background.begin() == .unavailable)
    }

    /// SQLite's "WAL-reset bug": commits were lost if the log began again after a checkpoint had read its header.
    @Test(arguments: [50, 400], [false, true])
    func theLogDoesNotBeginAgainDuringAPass(_ later: Int, isMovedBefore: Bool) throws {
        let store = try TestStore()
        let engine = try sqlite(store)
        engine.backgroundCheckpoint.close()
        let settings = try ConnectionSettings(path: store.path, options: StorageOptions(), kind: .plain(.linked()))
        let connections = try CheckpointConnections(settings)
        try fill(engine, 0..<100)
        if isMovedBefore { _ = try connections.pass() }
        let race = Race { try fill(engine, 100..<101) }
        unsafe checkpoint_race_arm(
            connections.mover.handle,
            { context in unsafe Unmanaged<Race>.fromOpaque(context!).takeUnretainedValue().run() },
            Unmanaged.passUnretained(race).toOpaque()
        )
        _ = try connections.pass()
        checkpoint_race_disarm()
        #expect(checkpoint_race_happened() && race.failure == nil)
        connections.close()
        try fill(engine, 101..<101 + later)
        try engine.checkpoint()
        engine.close()
        let again = try sqlite(store)
        #expect(try again.read { (now) throws(StorageError) in try now.ids().count } == 101 + later)
        #expect(try again.problems() == [])
        again.close()
    }

    /// What happens in the middle of a pass.
    private final class Race {
        private let body: () throws -> Void
        private(set) var failure: (any Error)?

        init(_ body: @escaping () throws -> Void) { self.body = body }

        func run() { do { try body() } catch { failure = error } }
    }

    /// Readers see whole commits, and nothing is lost, while the log is moved, truncated and begun again.
    @Test func readersAndAWriterGoOn() throws {
        let store = try TestStore()
        let engine = try sqlite(store)
        let isOver = Locked(false)
        let failures = Locked<[String]>([])
        let group = DispatchGroup()
        for _ in 0..<3 {
            group.enter()
            Thread.detachNewThread {
                while !isOver.withLock({ $0 }) {
                    do throws(StorageError) {
                        let count = try engine.read { (now) throws(StorageError) in try now.ids().count }
                        if count % 2 != 0 { failures.withLock { $0.append("half a commit: \(count)") } }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
                group.leave()
            }
        }
        for number in stride(from: 0, to: 1600, by: 2) {
            try fill(engine, number..<number + 2, perCommit: 2)
            if number % 700 == 698 { try engine.checkpoint() }
        }
        isOver.withLock { $0 = true }
        group.wait()
        #expect(failures.withLock { $0 } == [])
        engine.close()
        let again = try sqlite(store)
        #expect(try again.read { (now) throws(StorageError) in try now.ids().count } == 1600)
        #expect(try again.problems() == [])
        again.close()
    }

    private func sqlite(_ store: TestStore) throws -> SQLiteEngine { try #require(try store.open() as? SQLiteEngine) }

    /// Documents of 16,000 bytes: some five frames each.
    private func fill(_ engine: SQLiteEngine, _ numbers: Range<Int>, perCommit: Int = 1) throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: perCommit) {
            try engine.write { (transaction) throws(StorageError) in
                for number in start..<start + perCommit {
                    try transaction.insert(name(number), Array(repeating: 0x61, count: 16_000))
                }
            }
        }
    }
}
