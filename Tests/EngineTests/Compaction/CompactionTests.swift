import Foundation
import Settee
import SetteeProgramSupport
import SetteeStorageFiles
import SetteeTestSupport
import StorageProtocol
import Synchronization
import Testing

@testable import SetteeEngine

/// Files are rewritten automatically once much of them is free; a call to compact joins such a rewrite.
@Suite struct CompactionTests {
    // MARK: - Automatic rewrites

    @Test func itHappensByItself() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        let before = try bed.bytes()
        #expect(try bed.database.statistics().compaction.threshold == 0.5)
        try bed.empty()
        try expectEventually("\(bed.database.compactor.status), \(bed.steps.begun) begun") {
            try bed.database.statistics().compaction.last != nil
        }
        let status = try bed.database.statistics().compaction
        let last = try #require(status.last)
        #expect(!status.isRunning && status.progress == nil && status.prevented == nil)
        #expect(last.bytesAfter < last.bytesBefore / 3)
        #expect(try bed.bytes() < before / 3)
        #expect(try bed.generations() == ["data-000002"])
        try bed.expectTheTenth()
        try bed.database["later"].put(["a": 1])
        try bed.close()
        try bed.reopen(threshold: 0.5)
        #expect(try bed.database["later"].exists)
        try bed.close()
    }

    @Test func itCanBeSwitchedOff() throws {
        let bed = try CompactionFixture(threshold: nil)
        try bed.empty()
        #expect(try bed.database.statistics().compaction.threshold == nil)
        #expect(!bed.database.compactor.isLookPending)
        #expect(bed.steps.begun == 0)
        try bed.database.compact()
        #expect(bed.steps.begun == 1)
        try bed.expectTheTenth()
        try bed.close()
    }

    @Test func belowTheThresholdNothingHappens() throws {
        let bed = try CompactionFixture(threshold: 0.99)
        try bed.empty()
        try expectEventually { !bed.database.compactor.isLookPending }
        #expect(bed.steps.begun == 0)
        try bed.close()
    }

    /// A requested rewrite says nothing about the estimate, even if it gave nothing back.
    @Test func aRequestDoesNotPutTheNextOneOff() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        try bed.database.compact()
        try bed.database.compact()
        let before = try bed.database.statistics().compaction.last
        try bed.empty()
        try expectEventually { try bed.database.statistics().compaction.last != before }
        try bed.expectTheTenth()
        try bed.close()
    }

    /// After a rewrite that gave little back, the next one waited for two minutes, however much was written in between.
    @Test func aRestEndsOnceTheFilesHaveDoubled() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        let database = bed.database
        try database.compact()
        let asked = try database.statistics().compaction.last
        bed.steps.claimAllIsFree()
        try database["d0"].purge()
        try expectEventually { try database.statistics().compaction.last != asked }
        let first = try #require(try database.statistics().compaction.last)
        #expect(first.bytesAfter > first.bytesBefore / 4 * 3, "It gave little.")
        let begun = bed.steps.begun
        try database.inTransaction {
            for number in 3000..<10_000 { try database["d\(number)"].put(CompactionFixture.content(number, 0)) }
        }
        try expectEventually { try database.statistics().compaction.last != first }
        #expect(bed.steps.begun == begun + 1)
        #expect(try database.documentCount == 9999)
        try bed.close()
    }

    /// On a slow disk a commit is long between its pages and their root: the file has grown, and all of it seems free.
    @Test func aCommitInProgressIsNotTakenForFreeSpace() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        let database = bed.database
        try expectEventually { !database.compactor.isLookPending }
        try database.inTransaction {
            try bed.examineMistakenly()
            try database["d0"].purge()
        }
        try expectEventually { !database.compactor.status.isRunning && !database.compactor.isLookPending }
        #expect(bed.steps.begun == 0)
        #expect(database.compactor.status.last == nil && database.compactor.status.prevented == nil)
        try bed.empty()
        try expectEventually { try database.statistics().compaction.last != nil }
        #expect(bed.steps.begun == 1)
        try bed.close()
    }

    @Test func aRequestThatJoinedAMistakeRewrites() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        let database = bed.database
        try expectEventually { !database.compactor.isLookPending }
        let asking = Locked<Background?>(nil)
        try database.inTransaction {
            try bed.examineMistakenly()
            let background = Background { try database.compact() }
            asking.withLock { $0 = background }
            #expect(!background.ends(within: 0.1))
        }
        try #require(asking.withLock { $0 }).join()
        #expect(bed.steps.begun == 1)
        #expect(database.compactor.status.last != nil)
        try bed.close()
    }

    /// What was committed during a rewrite was examined only after the next commit.
    @Test func commitsDuringARewriteAreExaminedAfterIt() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        let database = bed.database
        bed.steps.hold()
        let asking = Background { try database.compact() }
        bed.steps.waitForOne()
        try database["d0"].purge()
        try expectEventually { !database.compactor.isLookPending }
        bed.steps.claimAllIsFree()
        bed.steps.release()
        try asking.join()
        try expectEventually { bed.steps.begun == 2 }
        try bed.close()
    }

    @Test func smallFilesAreLeftAlone() throws {
        let bed = try CompactionFixture(threshold: 0.01, documents: 100)
        try bed.database["d0"].purge()
        try expectEventually { !bed.database.compactor.isLookPending }
        #expect(bed.steps.begun == 0)
        try bed.close()
    }

    @Test(arguments: [0, -1, 1.01, Double.nan, .infinity])
    func aThresholdIsAShare(_ threshold: Double) throws {
        let folder = try TemporaryFolder()
        let manager = try Manager(directory: folder.url, engines: [Storage.factory(.lmdb)])
        expectError(.badParameter) {
            _ = try manager.database(named: "test", options: CompactionFixture.options(threshold))
        }
    }

    @Test(arguments: [StorageType.memory, .sqlite])
    func otherEnginesWaitToBeAsked(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            #expect(try bed.database.statistics().compaction.threshold == nil)
        }
    }

    // MARK: - Concurrent writers and readers

    /// A rewrite that is held up blocks nobody, and misses nothing.
    @Test func writersGoOnMeanwhile() throws {
        let bed = try CompactionFixture(threshold: nil)
        bed.steps.hold()
        let database = bed.database
        let compacting = Background { try database.compact() }
        bed.steps.waitForOne()
        #expect(try database.statistics().compaction.isRunning)
        for number in 0..<50 {
            try database["d\(number)"].put(CompactionFixture.content(number, 1), parent: current(number))
        }
        try database["d60"].purge()
        try database["new"].put(["a": 1])
        bed.steps.release()
        try compacting.join()
        for number in 0..<50 {
            #expect(try database["d\(number)"].revision()?.properties["round"] == 1)
        }
        #expect(try !database["d60"].exists)
        #expect(try database["new"].exists)
        #expect(try database.check().map(\.description) == [])
        try bed.close()

        func current(_ number: Int) throws -> RevisionID? { try database["d\(number)"].revision()?.id }
    }

    @Test func readersStayWithTheirState() throws {
        let bed = try CompactionFixture(threshold: nil)
        let database = bed.database
        let inside = Gate()
        let over = Gate()
        let reader = Background {
            try database.read { (snapshot) throws in
                #expect(try snapshot.documentCount == 3000)
                inside.open()
                over.wait()
                #expect(try snapshot.documentCount == 3000)
            }
        }
        inside.wait()
        try bed.empty()
        let result = try database.compact()
        #expect(result.rewritePrevented == nil)
        #expect(try database.documentCount == 300)
        let snapshots = try database.statistics().openSnapshots
        let age = try #require(snapshots.first?.age)
        #expect(age > .zero)
        #expect(snapshots.first?.process == UInt32(ProcessInfo.processInfo.processIdentifier))
        let later = try #require(try database.statistics().openSnapshots.first?.age)
        #expect(later > age, "It grows older.")
        over.open()
        try reader.join()
        #expect(try database.statistics().openSnapshots.isEmpty)
        #expect(try bed.generations() == ["data-000002"], "The last reader takes the old files with it.")
        try bed.expectTheTenth()
        try bed.close()
    }

    @Test func readersOfOtherProcessesAreListed() throws {
        let bed = try CompactionFixture(threshold: nil, documents: 10)
        // Like another process that opens the folder.
        let other = try DatabaseFolder.open(at: bed.path)
        let token = other.beginSnapshot(changeCounter: 0)
        let snapshots = try bed.database.statistics().openSnapshots
        let snapshot = try #require(snapshots.first)
        #expect(snapshots.count == 1)
        #expect(try #require(snapshot.age) > .zero)
        #expect(try #require(snapshot.commitsBehind) > 0)
        other.endSnapshot(token)
        #expect(try bed.database.statistics().openSnapshots.isEmpty)
        other.close()
        try bed.close()
    }

    @Test func manyReadWhileOneWritesAndTheFilesAreRewritten() throws {
        let bed = try CompactionFixture(threshold: 0.3, documents: 600)
        let database = bed.database
        let end = ContinuousClock.now + .seconds(3)
        let rewrites = Atomic(0)
        try onThreads(10) { (thread) throws in
            var round = 0
            while ContinuousClock.now < end {
                switch thread {
                case 0:
                    round += 1
                    try database.inTransaction {
                        for number in 0..<600 {
                            let document = database["d\(number)"]
                            let parent = try document.revision()?.id
                            try document.put(CompactionFixture.content(number, round), parent: parent)
                        }
                    }
                case 1:
                    #expect(try database.compact().rewritePrevented == nil)
                    rewrites.add(1, ordering: .relaxed)
                default:
                    try database.read { (snapshot) throws in
                        #expect(try snapshot.documentCount == 600)
                        let first = try snapshot.revision(of: "d0")?.properties["round"]
                        let last = try snapshot.revision(of: "d599")?.properties["round"]
                        #expect(first == last, "A snapshot is of one state.")
                    }
                }
            }
        }
        #expect(rewrites.load(ordering: .relaxed) > 0)
        #expect(try database.check().map(\.description) == [])
        try bed.close()
        #expect(try bed.generations().count == 1)
    }

    // MARK: - Joining

    @Test func aRequestJoinsTheOneThatGoesOn() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        bed.steps.hold()
        try bed.empty()
        bed.steps.waitForOne()
        let database = bed.database
        let asked = Background {
            let result = try database.compact()
            #expect(result.rewritePrevented == nil)
            #expect(result.bytesAfter < result.bytesBefore / 3)
        }
        let askedToo = Background { try database.compact() }
        #expect(!asked.ends(within: 0.1), "It waits for the one that goes on.")
        bed.steps.release()
        try asked.join()
        try askedToo.join()
        #expect(bed.steps.begun <= 2, "Who came in time has joined.")
        try bed.expectTheTenth()
        try bed.close()
    }

    @Test func twoRequestsAreOne() throws {
        let bed = try CompactionFixture(threshold: nil)
        bed.steps.hold()
        let database = bed.database
        let first = Background { try database.compact() }
        bed.steps.waitForOne()
        let second = Background { try database.compact() }
        #expect(!second.ends(within: 0.2))
        bed.steps.release()
        try first.join()
        try second.join()
        #expect(bed.steps.begun == 1)
        try bed.close()
    }

    // MARK: - Ending

    @Test func closingEndsIt() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        bed.steps.hold()
        try bed.empty()
        bed.steps.waitForOne()
        let database = bed.database
        let closing = Background { try database.close() }
        bed.steps.release()
        try closing.join()
        #expect(try bed.generations().count == 1)
        try bed.reopen(threshold: nil)
        try bed.expectTheTenth()
        try bed.close()
    }

    @Test func closingEndsARequestToo() throws {
        let bed = try CompactionFixture(threshold: 1)
        bed.steps.hold()
        let database = bed.database
        let asking = Background { expectError(.notOpen) { try database.compact() } }
        bed.steps.waitForOne()
        let closing = Background { try database.close() }
        try expectEventually { database.compactor.status.threshold == nil }
        bed.steps.release()
        try closing.join()
        try asking.join()
        #expect(try bed.generations() == ["data-000001"])
        try bed.reopen(threshold: nil)
        #expect(try bed.database.documentCount == 3000)
        try bed.close()
    }

    /// A database with no references left is released even if its files are being rewritten.
    @Test func itKeepsNoDatabaseAlive() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "test.settee")
        for round in 0..<6 {
            var database: Database? = try Database.open(
                at: path,
                options: DatabaseOptions(storageType: .lmdb, durability: .normal, compactionThreshold: 0.2),
                engines: [Storage.factory(.lmdb)]
            )
            try database?.inTransaction {
                for number in 0..<1500 {
                    try database?["r\(round)-\(number)"].put(CompactionFixture.content(number, round))
                }
            }
            try database?.inTransaction {
                for number in 0..<1500 { try database?["r\(round)-\(number)"].purge() }
            }
            weak let weakly = database
            Thread.sleep(forTimeInterval: 0.2 + Double(round) * 0.02)
            database = nil
            try expectEventually { weakly == nil }
        }
        let last = try Database.open(
            at: path,
            options: CompactionFixture.options(nil),
            engines: [Storage.factory(.lmdb)]
        )
        #expect(try last.documentCount == 0)
        #expect(try last.check().map(\.description) == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: path.path).filter { $0.hasPrefix("data-") }
        #expect(names.count == 1)
        try last.close()
    }

    // MARK: - What prevents it

    @Test func whoHasItOpenIsNamed() throws {
        let bed = try CompactionFixture(threshold: 0.5)
        let other = try Conversation(["import", bed.path, "-", "--report-batches"])
        try other.send((0...1000).map { #"{"_id":"other-\#($0)"}"# + "\n" }.joined())
        #expect(other.nextLine() == #"{"committed":1000}"#)
        try bed.empty()
        try expectEventually { try bed.database.statistics().compaction.prevented != nil }
        let reason = try #require(try bed.database.statistics().compaction.prevented)
        #expect(reason.contains("process \(other.identifier)"), "\(reason)")
        #expect(bed.steps.begun == 0, "Nothing is copied in vain.")
        let result = try bed.database.compact()
        #expect(result.rewritePrevented?.contains("process \(other.identifier)") == true)
        #expect(try other.finish() == 0)
        // It is tried again without a request, and without another commit.
        try expectEventually { try bed.database.statistics().compaction.last != nil }
        #expect(try bed.database.statistics().compaction.prevented == nil)
        #expect(try bed.database.documentCount == 300 + 1001)
        try bed.close()
    }

    /// Opening the database in another process while the copy is made prevents the switch; that process's commits are
    /// kept.
    @Test func whoComesMeanwhilePreventsTheSwitch() throws {
        let bed = try CompactionFixture(threshold: nil)
        bed.steps.hold()
        let database = bed.database
        let outcome = Locked<CompactionResult?>(nil)
        let compacting = Background {
            let result = try database.compact()
            outcome.withLock { $0 = result }
        }
        bed.steps.waitForOne()
        #expect(try Program.run("put", bed.path, "foreign", "{}").status == 0)
        let other = try Conversation(["import", bed.path, "-", "--report-batches"])
        try other.send((0...1000).map { #"{"_id":"other-\#($0)"}"# + "\n" }.joined())
        #expect(other.nextLine() == #"{"committed":1000}"#)
        bed.steps.release()
        try compacting.join()
        let reason = try #require(outcome.withLock { $0?.rewritePrevented })
        #expect(reason.contains("process \(other.identifier)"), "\(reason)")
        #expect(try other.finish() == 0)
        #expect(try bed.generations() == ["data-000001"])
        #expect(try database.documentCount == 3000 + 1 + 1001)
        #expect(try database.compact().rewritePrevented == nil)
        #expect(try database.documentCount == 3000 + 1 + 1001)
        try bed.close()
    }

    /// This used to be noticed only at the end, when everything had been copied in vain.
    @Test func whoComesMeanwhileEndsTheCopy() throws {
        let bed = try CompactionFixture(threshold: nil, documents: 15_000)
        bed.steps.hold()
        bed.steps.makeSmall()
        let database = bed.database
        let compacting = Background { try database.compact() }
        bed.steps.waitForOne()
        // A process that only reads, so that there is nothing else to notice.
        let other = try Conversation(["changes", bed.path, "--since", "14990", "--follow"])
        #expect(other.nextLine() != nil)
        bed.steps.release()
        try compacting.join()
        #expect(bed.steps.taken < 64)
        let reason = try #require(try database.statistics().compaction.prevented)
        #expect(reason.contains("process \(other.identifier)"), "\(reason)")
        other.interrupt()
        _ = try other.finish()
        try bed.close()
    }

    @Test func aForeignCommitIsFollowedByAnotherAttempt() throws {
        let bed = try CompactionFixture(threshold: nil)
        bed.steps.hold()
        let database = bed.database
        let compacting = Background {
            let result = try database.compact()
            #expect(result.rewritePrevented == nil)
        }
        bed.steps.waitForOne()
        #expect(try Program.run("put", bed.path, "foreign", "{}").status == 0)
        bed.steps.release()
        try compacting.join()
        #expect(bed.steps.begun == 2)
        #expect(try database["foreign"].exists)
        #expect(try database.documentCount == 3001)
        try bed.close()
    }

    @Test func aFullDiskIsSaidAndTriedAgainLater() throws {
        let bed = try CompactionFixture(threshold: 0.5, free: 1000)
        try bed.empty()
        try expectEventually { try bed.database.statistics().compaction.prevented != nil }
        let reason = try #require(try bed.database.statistics().compaction.prevented)
        #expect(reason.contains("must be free") && reason.contains("1000"), "\(reason)")
        #expect(bed.steps.begun == 0)
        expectError(.full) { try bed.database.compact() }
        #expect(try bed.generations() == ["data-000001"])
        bed.database.compactor.space.measure { _ in nil }
        try bed.database.compact()
        #expect(try bed.database.statistics().compaction.last != nil)
        try bed.expectTheTenth()
        try bed.close()
    }

    @Test func aFullDiskIsFreedOfContentsThatNothingRefersTo() throws {
        let bed = try CompactionFixture(threshold: nil)
        let blobs = try bed.path + "/blobs-000001"
        let database = bed.database
        try database["a"].put(["n": 1])
        try database["a"].setAttachment(named: "file", content: [UInt8](repeating: 1, count: 1 << 20))
        try database["a"].purge()
        let contents: @Sendable () -> Int = {
            (FileManager.default.subpaths(atPath: blobs) ?? []).count { ($0 as NSString).lastPathComponent.count > 60 }
        }
        #expect(contents() == 1)
        database.compactor.space.measure { _ in contents() == 0 ? nil : 1000 }
        let result = try database.compact()
        #expect(result.blobsRemoved == 1)
        #expect(contents() == 0)
        // Where that is not enough, nothing else is dropped.
        let first = try database["b"].put(["n": 1])
        try database["b"].put(["n": 2], parent: first.id)
        database.compactor.space.measure { _ in 1000 }
        expectError(.full) { try database.compact() }
        #expect(try database["b"].history().map(\.hasBody) == [true, true])
        try bed.close()
    }
}
