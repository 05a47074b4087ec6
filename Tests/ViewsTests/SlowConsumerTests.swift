import Foundation
import Settee
import SetteeTestSupport
import Testing

/// Queries whose rows are consumed slowly while others write: nobody waits for the consumer, and the files do not grow
/// because of it.
@Suite("Slow consumers") struct SlowConsumerTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let rows = isLong ? 1_000_000 : 4000
    /// How many times the consumer pauses. Each time it lets others commit at least this often, and takes at least this
    /// long.
    private static let pauses = isLong ? 60 : 10
    private static let commits = 200
    private static let pause: Duration = isLong ? .seconds(1) : .zero
    /// A writer that had to wait for the consumer would wait for ever, since the consumer waits for the writer.
    private static let limit: Duration = .seconds(120)

    @Test(arguments: Storage.persistent) func aClosure(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let bound = try fill(bed)
            let (writer, writing) = begin(bed)
            defer { writer.stop() }
            var consumer = Consumer()
            try query(bed).forEach { row in
                guard try consumer.takes(row) else { return }
                let pause = Pause(writer)
                while try pause.goesOn() { Thread.sleep(forTimeInterval: 0.005) }
            }
            try end(writer, writing)
            try expectAll(consumer)
            #expect(writer.figures.mostBytes < bound, "\(writer.figures)")
        }
    }

    @Test(arguments: Storage.persistent) func aStream(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let bound = try fill(bed)
            let (writer, writing) = begin(bed)
            defer { writer.stop() }
            var consumer = Consumer()
            for try await row in query(bed).stream() where try consumer.takes(row) {
                let pause = Pause(writer)
                while try pause.goesOn() { try await Task.sleep(for: .milliseconds(5)) }
            }
            try end(writer, writing)
            try expectAll(consumer)
            #expect(writer.figures.mostBytes < bound, "\(writer.figures)")
        }
    }

    /// Inside `read` all rows show one state, so the old versions are kept and the files grow. The tests above would
    /// notice such growth.
    @Test(.enabled(if: !isLong), arguments: Storage.persistent) func insideRead(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let bound = try fill(bed)
            var consumer = Consumer()
            let writer = try bed.database.read { _ in
                let (writer, writing) = begin(bed)
                defer { writer.stop() }
                try query(bed).forEach { row in
                    guard try consumer.takes(row) else { return }
                    let pause = Pause(writer, commits: 2 * Self.commits)
                    while try pause.goesOn() { Thread.sleep(forTimeInterval: 0.005) }
                }
                try end(writer, writing)
                return writer
            }
            try expectAll(consumer)
            #expect(writer.figures.mostBytes > bound, "\(writer.figures)")
        }
    }

    // MARK: - Writing

    /// Fills a database and writes to it while nobody reads.
    ///
    /// - Returns: a file size that is only reached if old versions are kept beside what replaces them.
    private func fill(_ bed: TestDatabase) throws -> UInt64 {
        try bed.database.setMaxRevTreeDepth(1)
        for start in stride(from: 0, to: Self.rows, by: 1000) {
            try bed.database.inTransaction {
                for number in start..<start + 1000 { try bed.database["d\(number)"].put(["n": JSONValue(number)]) }
            }
        }
        try bed.view().setMap(version: "1") { document, emit in emit(document["n"], document["turn"]) }
        try bed.view().updateIndex()
        let writer = SteadyWriter()
        try writer.run(bed.database, bed.view(), first: Self.rows, commits: Self.pauses * Self.commits)
        // The log is moved into the file beside the writer, and how far that is behind depends on what else the machine
        // does: megabytes. What `insideRead` keeps is all that is written, twice as much as here: more than 70 MB.
        return writer.figures.mostBytes * 3 / 2 + 12_000_000
    }

    private func begin(_ bed: TestDatabase) -> (SteadyWriter, Background) {
        let writer = SteadyWriter()
        if !Self.isLong { writer.allow(Self.commits) }
        let (database, view) = (bed.database, bed.view())
        return (writer, Background { try writer.run(database, view, first: SlowConsumerTests.rows) })
    }

    private func end(_ writer: SteadyWriter, _ writing: Background) throws {
        writer.stop()
        try writing.join()
        #expect(writer.figures.commits >= Self.pauses * Self.commits)
        #expect(writer.figures.slowest < .seconds(30), "\(writer.figures)")
    }

    // MARK: - Reading

    /// The rows that exist throughout.
    private func query(_ bed: TestDatabase) -> DatabaseQuery { bed.view().query(endKey: JSONValue(Self.rows - 1)) }

    private struct Consumer {
        private(set) var taken = 0
        private(set) var pauses = 0

        /// Whether it is time to pause.
        mutating func takes(_ row: QueryRow) throws -> Bool {
            try #require(row.key == JSONValue(taken) && row.documentID?.string == "d\(taken)")
            taken += 1
            guard taken % (SlowConsumerTests.rows / SlowConsumerTests.pauses) == 0 else { return false }
            pauses += 1
            return true
        }
    }

    private struct Pause {
        private let writer: SteadyWriter
        private let start = ContinuousClock.now
        private let commits: Int

        init(_ writer: SteadyWriter, commits more: Int = SlowConsumerTests.commits) {
            self.writer = writer
            commits = writer.figures.commits + more
            if !isLong { writer.allow(commits + SlowConsumerTests.commits) }
        }

        func goesOn() throws -> Bool {
            let time = ContinuousClock.now - start
            if writer.figures.commits >= commits { return time < SlowConsumerTests.pause }
            try #require(time < SlowConsumerTests.limit, "Nothing is written: \(writer.figures)")
            return true
        }
    }

    private func expectAll(_ consumer: Consumer) throws {
        #expect(consumer.taken == Self.rows)
        #expect(consumer.pauses >= Self.pauses)
    }
}
