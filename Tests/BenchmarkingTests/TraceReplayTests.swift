import Foundation
import Settee
import SetteeBenchmarking
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

/// A trace replayed on two engines leaves equal content.
@Suite struct TraceReplayTests {
    private static var seeds: [UInt64] {
        let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
        return isLong ? (0..<50).map { _ in .random(in: .min ... .max) } : [1, .random(in: .min ... .max)]
    }

    /// Replays on a new database; returns what it left.
    private func replay(_ trace: Trace, on type: StorageType) throws -> (digest: String, TraceReplay.Summary) {
        let bed = try TestDatabase(type)
        let summary = try TraceReplay(trace).run(database: { _ in bed.database })
        let digest = try bed.database.contentDigest()
        #expect(try bed.database.check().map(\.description) == [])
        try bed.manager.close()
        return (digest, summary)
    }

    @Test(arguments: [StorageType.sqlite, .lmdb, .memory])
    func aReplayLeavesTheSameContentOnEveryEngine(_ recorded: StorageType) throws {
        for seed in TraceReplayTests.seeds {
            let work = try RecordedWork(recorded, seed: seed)
            try work.work(300)
            let trace = try work.trace()
            #expect(trace.unknownOperations == 0)
            #expect(!trace.isCutOff)
            let first = try replay(trace, on: .sqlite)
            #expect(first.1.operations[.put] ?? 0 > 10)
            for type in [StorageType.sqlite, .lmdb, .memory, .sqlcipher] {
                let other = try replay(trace, on: type)
                #expect(other.digest == first.digest, "seed \(seed), \(type)")
                #expect(other.1 == first.1, "seed \(seed), \(type)")
            }
        }
    }

    /// Bodies have the recorded sizes, and trees the recorded forms.
    @Test func aReplayLeavesDocumentsOfTheSameSizesAndForms() throws {
        for seed in TraceReplayTests.seeds {
            let work = try RecordedWork(.sqlite, seed: seed)
            try work.work(400)
            func shape(_ database: Database) throws -> [String] {
                try database.changes(since: 0, includeDocs: true).rows().map { row in
                    let leaves = try row.document.leafRevisions().map { $0.id.generation }.sorted()
                    let names = try row.revision?.attachmentNames.count ?? 0
                    // Of several leaves another one may be the current one.
                    let size = leaves.count > 1 || names > 0 ? 0 : max(row.isDeleted ? 2 : 27, row.json?.count ?? 0)
                    let expiry = try row.document.expiration != nil
                    return "\(leaves) \(size) \(expiry)"
                }.sorted()
            }
            let expected = try shape(work.database)
            let locals = try work.database.localDocuments().count
            let bed = try TestDatabase(.memory)
            let summary = try TraceReplay(work.trace()).run(database: { _ in bed.database })
            #expect(summary.refused == 0, "seed \(seed)")
            #expect(summary.prepared == 0, "seed \(seed)")
            #expect(try shape(bed.database) == expected, "seed \(seed)")
            #expect(try bed.database.localDocuments().count == locals)
            try bed.manager.close()
        }
    }

    @Test func whatWasThereBeforeIsMadeFirst() throws {
        let work = try RecordedWork(.sqlite, seed: 7, documents: 50)
        try work.work(200)
        let trace = try work.trace()
        var prepared = false
        let bed = try TestDatabase(.sqlite)
        let summary = try TraceReplay(trace).run(
            database: { _ in bed.database },
            prepared: { prepared = true },
            measure: { _, _ in #expect(prepared) }
        )
        #expect(summary.prepared > 5)
        #expect(try replay(trace, on: .lmdb).digest == bed.database.contentDigest())
        try bed.manager.close()
    }

    @Test func eachOperationIsMeasuredByItsKind() throws {
        let work = try RecordedWork(.memory, seed: 3)
        try work.work(300)
        let bed = try TestDatabase(.memory)
        var counts: [TraceOperation: Int] = [:]
        let summary = try TraceReplay(work.trace()).run(
            database: { _ in bed.database },
            measure: { operation, _ in counts[operation, default: 0] += 1 }
        )
        #expect(counts == summary.operations)
        #expect(counts[.commit] ?? 0 > 10)
        #expect(counts[.begin] == (counts[.commit] ?? 0) + (counts[.rollback] ?? 0))
        try bed.manager.close()
    }

    /// Another thread may read while one is in a transaction, and write while one is in a snapshot.
    @Test func severalThreadsAreReplayedInOne() throws {
        let work = try RecordedWork(.sqlite, seed: 0)
        let database = work.database
        try onThreads(4) { thread in
            for number in 0..<40 {
                try database.inTransaction {
                    try database["t\(thread)-\(number)"].put(["n": .int(Int64(number))])
                    try database["shared"].update { $0["n"] = .int(Int64(number * thread)) }
                }
                try database.read { _ in _ = try database["shared"].revision() }
            }
        }
        let trace = try work.trace()
        let first = try replay(trace, on: .sqlite)
        #expect(first.1.refused == 0)
        #expect(first.1.operations[.put] == 320)
        #expect(first.1.operations[.snapshot] == 160)
        #expect(try replay(trace, on: .lmdb).digest == first.digest)
        #expect(try replay(trace, on: .memory).digest == first.digest)
    }

    /// Such as the content of an attachment that was there before the trace began.
    @Test func whatCannotBeRepeatedIsCounted() throws {
        var read = TraceEvent(.read)
        read.size = 5
        var query = TraceEvent(.query)
        query.rows = 5
        var undefine = TraceEvent(.undefine)
        undefine.subject = 7
        var lost = query
        lost.subject = 7
        let bed = try TestDatabase(.memory)
        let summary = try TraceReplay(Trace([read, query, TraceEvent(.open), undefine, lost, TraceEvent(.commit)]))
            .run(database: { _ in bed.database })
        #expect(summary.operations == [.query: 1, .undefine: 1])
        #expect(summary.refused == 2)
        #expect(summary.leftOut == 2)
        try bed.manager.close()
    }

    /// Two numbers of a trace may be given one database, though they should not be.
    @Test func whatIsThereAlreadyIsNotMadeAgain() throws {
        var events = [TraceEvent(.get), TraceEvent(.get)]
        events[0].size = 50
        events[1].size = 50
        events[1].database = 2
        let bed = try TestDatabase(.memory)
        let summary = try TraceReplay(Trace(events)).run(database: { _ in bed.database })
        #expect(summary.prepared == 1)
        #expect(summary.refused == 1)
        #expect(try bed.database["0000000000000000"].json()?.count == 50)
        try bed.manager.close()
    }

    @Test func aTraceDoesNotWriteMoreThanAllowed() throws {
        var event = TraceEvent(.stage)
        event.size = 1 << 40
        let replay = try TraceReplay(Trace([event, event]))
        #expect(replay.bytesToWrite == 2 << 40, "each of the two is written")
        let bed = try TestDatabase(.memory)
        expectError(.tooLarge) { try replay.run(database: { _ in bed.database }) }

        // A content has the length that was counted, whatever the trace says of it later.
        var first = event
        first.size = 5
        let small = try TraceReplay(Trace([first, event, event]))
        #expect(small.bytesToWrite < 100)
        #expect(try small.run(database: { _ in bed.database }).operations == [.stage: 3])
        try bed.manager.close()
    }
}
