import Dispatch
import Foundation
import Settee
import SetteeTestSupport
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeEngine

/// Documents whose IDs come in no order are gathered and saved in larger transactions.
@Suite struct GatheredImportTests {
    private func run(
        _ lines: [String],
        into database: Database,
        _ options: ImportOptions
    ) throws -> (outcome: ImportOutcome, failures: [ImportFailure], commits: [Int]) {
        var failures: [ImportFailure] = []
        var commits: [Int] = []
        let rest = Locked<[UInt8]?>(Array(lines.joined(separator: "\n").utf8))
        let outcome = try BulkImporter(into: database, options: options).run {
            rest.withLock { $0.take() }
        } failure: {
            failures.append($0)
        } committed: { documents, _ in
            commits.append(documents)
        }
        return (outcome, failures, commits)
    }

    @Test(arguments: Storage.all) func idsInNoOrderAreSavedTogether(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            var random = SeededGenerator(seed: 5)
            let ids = (0..<5000).map { "d\(10_000 + $0)" }.shuffled(using: &random)
            let lines = ids.map { #"{"_id":"\#($0)","n":\#($0.dropFirst())}"# }
            let result = try run(lines, into: bed.database, ImportOptions())
            #expect(result.commits == [5000])
            #expect(result.failures.isEmpty)
            for id in ids { #expect(try bed.database[id]["n"]?.intValue == Int64(id.dropFirst())) }
            #expect(try bed.database.documentCount == 5000)
            #expect(try bed.database.check().map(\.description) == [])
        }
    }

    @Test func ascendingIDsAreSavedBatchByBatch() throws {
        try withDatabase(.sqlite) { (bed) throws in
            let lines = (0..<5000).map { #"{"_id":"d\#(10_000 + $0)"}"# }
            #expect(try run(lines, into: bed.database, ImportOptions()).commits == [1000, 2000, 3000, 4000, 5000])
        }
    }

    /// Memory stays bounded: what has been gathered is saved when it takes too much.
    @Test(arguments: Storage.all) func noMoreIsGatheredThanMayBe(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            var random = SeededGenerator(seed: 6)
            let ids = (0..<6000).map { "d\(10_000 + $0)" }.shuffled(using: &random)
            var options = ImportOptions()
            options.gatheredLength = 600_000
            let lines = ids.map { #"{"_id":"\#($0)"}"# }
            #expect(try run(lines, into: bed.database, options).commits == [2000, 4000, 6000])
            #expect(try bed.database.documentCount == 6000)
            var others = ImportOptions()
            others.gatheredCount = 3000
            let more = ids.map { #"{"_id":"x\#($0)"}"# }
            #expect(try run(more, into: bed.database, others).commits == [3000, 6000])
        }
    }

    /// An engine may hold each page that a transaction changes in memory until the commit.
    @Test(arguments: Storage.all) func transactionsOfWhatWasGatheredAreBounded(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            var random = SeededGenerator(seed: 7)
            let ids = (0..<5000).map { "d\(10_000 + $0)" }
            var lines = ids.shuffled(using: &random).map { #"{"_id":"\#($0)"}"# }
            lines.insert(#"{"_id":"d10001"}"#, at: 1000)
            lines.append(#"{"_id":"d14000"}"#)
            var options = ImportOptions()
            options.transactionCount = 1200
            let before = try database.counters().changeCounter
            let result = try run(lines, into: database, options)
            // What is told is the beginning of the text, which is so after the last of them only.
            #expect(result.commits == [5000])
            // SQLite's engine counts documents.
            let expected: UInt64 = type == .sqlite ? 5000 : 5
            #expect(try database.counters().changeCounter - before == expected)
            #expect(result.failures.map(\.line) == result.failures.map(\.line).sorted())
            #expect(result.failures.count == 2)
            #expect(try database.changes(since: 0).rows().map(\.documentID.string) == ids)
        }
    }

    /// If the import ends between two of these transactions, the outcome says what was saved.
    @Test(arguments: Storage.plainPersistent)
    func anInterruptionKeepsTheTransactionsBefore(_ type: StorageType) throws {
        for last in [1, 499, 500, 501, 1700, 2999] {
            let bed = try TestDatabase(type)
            let database = bed.database
            let closed = DispatchSemaphore(value: 0)
            database.setValidation("closing") { revision, _ in
                guard revision.documentID.string == "d\(10_000 + last)" else { return }
                Thread.detachNewThread {
                    try? database.close()
                    closed.signal()
                }
            }
            var options = ImportOptions()
            options.transactionCount = 500
            let lines = (0..<3000).reversed().map { #"{"_id":"d\#(10_000 + $0)"}"# }
            let result = try run(lines, into: database, options)
            closed.wait()
            #expect(result.outcome.documents % 500 == 0 && result.outcome.documents >= last / 500 * 500)
            #expect((result.outcome.interruption == nil) == (result.outcome.documents == 3000))
            try bed.reopen()
            #expect(try bed.database.documentCount == UInt64(result.outcome.documents))
            try bed.manager.close()
        }
    }

    /// Attachments in the text count, too.
    @Test func attachmentsTakeMemory() throws {
        try withDatabase(.sqlite) { (bed) throws in
            var options = ImportOptions()
            options.batchCount = 10
            options.gatheredLength = 100_000
            let data = String(repeating: "A", count: 4000)
            let lines = (0..<100).reversed().map {
                #"{"_id":"d\#($0)","_attachments":{"a":{"content_type":"text/plain","data":"\#(data)"}}}"#
            }
            let commits = try run(lines, into: bed.database, options).commits
            #expect(commits == [30, 60, 90, 100])
        }
    }

    /// The first of equal IDs is saved, and refusals are told in the order of the input.
    @Test(arguments: Storage.all) func whatIsRefusedIsToldInTheOrderOfTheInput(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database["m"].put(["old": true])
            var lines: [String] = []
            for round in 0..<2 {
                for number in (0..<1500).reversed() { lines.append(#"{"_id":"d\#(number)","round":\#(round)}"#) }
            }
            lines.insert(#"{"_id":"m"}"#, at: 700)
            lines.insert("[1]", at: 100)
            lines.append(#"{"_id":"_local/x","n":1}"#)
            let result = try run(lines, into: bed.database, ImportOptions())
            #expect(result.outcome.documents == 1501)
            #expect(result.outcome.failed == 1502)
            #expect(result.failures.map(\.line) == result.failures.map(\.line).sorted())
            #expect(result.failures.map(\.line).prefix(2) == [101, 702])
            for number in 0..<1500 { #expect(try bed.database["d\(number)"]["round"]?.intValue == 0) }
            #expect(try bed.database["m"]["old"]?.boolValue == true)
        }
    }

    /// Whoever sends the text may wait for what was sent to be saved.
    @Test func aPauseOfTheTextSavesWhatHasBeenGathered() throws {
        try withDatabase(.sqlite) { (bed) throws in
            let saved = DispatchSemaphore(value: 0)
            let left = Locked(4)
            let outcome = try BulkImporter(into: bed.database, options: ImportOptions()).run {
                let round = left.withLock { left in
                    left -= 1
                    return left
                }
                if round < 0 { return nil }
                if round < 3, saved.wait(timeout: .now() + 120) == .timedOut { Issue.record("Nothing was saved") }
                return Array((0..<1000).reversed().map { "{\"_id\":\"\(round)-\($0)\"}\n" }.joined().utf8)
            } failure: { _ in
                Issue.record("A document was refused")
            } committed: { _, _ in
                saved.signal()
            }
            #expect(outcome.documents == 4000)
        }
    }

    /// What was saved before the text turned out to be damaged stays.
    @Test func aDamagedTextEndsAnImportBehindWhatItHolds() throws {
        try withDatabase(.sqlite) { (bed) throws in
            let lines = (0..<1500).reversed().map { #"{"_id":"d\#($0)"}"# } + ["{\"_id\":"]
            let result = try run(lines, into: bed.database, ImportOptions())
            #expect(result.outcome.interruption != nil || result.outcome.failed == 1)
            #expect(try bed.database.documentCount == 1500)
        }
    }
}
