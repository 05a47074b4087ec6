import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// A full disk refuses commits and rewrites, and destroys nothing that was there. Each test runs in a process of its
/// own, whose files may not grow beyond a limit.
@Suite("LMDB on a full disk") struct LMDBDiskFullTests {
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    /// The maximum size of the files, in bytes.
    private static var limits: [Int] {
        isLong ? (0..<60).map { 1_000_000 + $0 * 20_480 + $0 * 512 } : [1_000_000, 1_500_000]
    }

    // MARK: - Commits

    @Test(arguments: limits) func whatWasAcknowledgedIsThere(_ limit: Int) async {
        await #expect(processExitsWith: .success) { [limit] in
            let folder = try TemporaryFolder()
            let path = folder.url.appending(path: "test.settee")
            let database = try open(path)
            limitFiles(to: limit)
            var stored = 0
            var refusal: StorageError?
            while refusal == nil, stored < 100_000 {
                do {
                    try put(database, stored..<stored + 37)
                    stored += 37
                } catch let error as StorageError {
                    refusal = error
                }
            }
            #expect(stored > 0 && refusal?.code == .full && refusal?.status == 507)
            try expect(database, stored)
            // The store stays open for readers and for other attempts.
            expectError(.full) { try put(database, stored..<stored + 2000) }
            try expect(database, stored)
            limitFiles(to: .max)
            try put(database, stored..<stored + 2000)
            try expect(database, stored + 2000)
            try database.close()
            let again = try open(path)
            try expect(again, stored + 2000)
            try again.close()
        }
    }

    // MARK: - Rewrites

    /// How large the copy may become, in bytes; a complete one has about 220,000. With 0, not even its folder's first
    /// file fits.
    private static var copies: [Int] {
        isLong ? Array(stride(from: 0, to: 420_000, by: 6_000)) : [0, 150_000]
    }

    @Test(arguments: copies) func aRewriteByRequestIsRefused(_ limit: Int) async {
        await #expect(processExitsWith: .success) { [limit] in
            let bed = try CompactionFixture(threshold: nil)
            try bed.empty()
            bed.steps.hold()
            let database = bed.database
            let result = Locked<StorageError.Code?>(nil)
            let compacting = Background {
                do { try database.compact() } catch let error as StorageError { result.withLock { $0 = error.code } }
            }
            bed.steps.waitForOne()
            limitFiles(to: limit)
            bed.steps.release()
            try compacting.join()
            let refusal = result.withLock { $0 }
            // Limits near the copy's size may suffice.
            #expect(refusal == .full || limit > 200_000 && refusal == nil)
            let names = try bed.generations()
            #expect(names == [refusal == nil ? "data-000002" : "data-000001"])
            try bed.expectTheTenth()
            if refusal != nil { #expect(try database.statistics().compaction.prevented != nil) }
            limitFiles(to: .max)
            try database["later"].put([:])
            try database.compact()
            let status = try database.statistics().compaction
            #expect(status.prevented == nil && status.last != nil)
            #expect(try bed.generations() == [refusal == nil ? "data-000003" : "data-000002"])
            try database["later"].purge()
            try bed.expectTheTenth()
            try bed.close()
            try bed.reopen(threshold: nil)
            try bed.expectTheTenth()
            try bed.close()
        }
    }

    @Test func aRewriteByItselfSaysSoAndComesLater() async {
        await #expect(processExitsWith: .success) {
            let bed = try CompactionFixture(threshold: 0.5)
            bed.steps.hold()
            try bed.empty()
            bed.steps.waitForOne()
            limitFiles(to: 100_000)
            bed.steps.release()
            let database = bed.database
            try expectEventually { try database.statistics().compaction.prevented != nil }
            #expect(try database.statistics().compaction.last == nil)
            #expect(try bed.generations() == ["data-000001"])
            try bed.expectTheTenth()
            limitFiles(to: .max)
            // Without another commit.
            try expectEventually { try database.statistics().compaction.last != nil }
            #expect(try database.statistics().compaction.prevented == nil)
            #expect(try bed.generations() == ["data-000002"])
            try bed.expectTheTenth()
            try bed.close()
        }
    }
}

private func open(_ path: URL) throws -> Database {
    try Database.open(
        at: path,
        options: DatabaseOptions(storageType: .lmdb, durability: .normal, compactionThreshold: nil),
        engines: [Storage.factory(.lmdb)]
    )
}

private func put(_ database: Database, _ numbers: Range<Int>) throws {
    try database.inTransaction {
        for number in numbers { try database["d\(number)"].put(CompactionFixture.content(number, 0)) }
    }
}

/// The database has so many documents, all whole.
private func expect(_ database: Database, _ count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try database.documentCount == UInt64(count), sourceLocation: sourceLocation)
    for number in stride(from: 0, to: count, by: 97) {
        let found = try database["d\(number)"].revision()?.properties
        #expect(found == CompactionFixture.content(number, 0), sourceLocation: sourceLocation)
    }
    #expect(try database.check().map(\.description) == [], sourceLocation: sourceLocation)
}
