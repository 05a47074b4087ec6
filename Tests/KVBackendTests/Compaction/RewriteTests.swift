import Foundation
internal import StorageConformance
import StorageProtocol
import Synchronization
import Testing

@testable import SetteeKV

/// A rewrite in steps produces what the store holds at the end, whatever is written meanwhile, or reports that it
/// cannot.
@Suite struct RewriteTests {
    @Test(arguments: UInt64(1)...12)
    func theCopyIsTheSource(seed: UInt64) throws {
        var writer = RandomWriter(seed: seed)
        let bed = try RewriteFixture { store in try writer.fill(store, entries: 2000) }
        var steps = 0
        while try !bed.rewrite.step(limit: .zero).isComplete {
            steps += 1
            for _ in 0..<Int.random(in: 0...3, using: &writer.random) { try writer.write(bed.store) }
            try #require(steps < 2000, "seed \(seed)")
        }
        #expect(steps > 20, "seed \(seed)")
        // What comes after the last step is copied as well.
        for _ in 0..<5 { try writer.write(bed.store) }
        try bed.finishAndCompare("seed \(seed)")
    }

    @Test(arguments: UInt64(100)...103)
    func theCopyIsTheSourceWhileAThreadWrites(seed: UInt64) throws {
        var writer = RandomWriter(seed: seed)
        let bed = try RewriteFixture { store in try writer.fill(store, entries: 3000) }
        let other = WriterThread(bed.store, seed: seed &+ 1000)
        defer { other.stop() }
        // Both are under way from here on.
        _ = try bed.rewrite.step(limit: .zero)
        other.waitForATransaction()
        try bed.complete()
        other.stop()
        #expect(other.failure == nil, "seed \(seed)")
        try bed.finishAndCompare("seed \(seed)")
    }

    @Test func finishingDoesWhatNoStepHasDone() throws {
        var writer = RandomWriter(seed: 7)
        let bed = try RewriteFixture { store in try writer.fill(store, entries: 2000) }
        _ = try bed.rewrite.step(limit: .zero)
        try bed.finishAndCompare()
    }

    @Test func anEmptyStoreIsCopied() throws {
        let bed = try RewriteFixture { _ in }
        try bed.complete()
        try bed.finishAndCompare()
    }

    /// Removing nearly all leaves half-empty and free pages; the copy has neither.
    @Test func theCopyIsPacked() throws {
        var writer = RandomWriter(seed: 8)
        writer.keys = 3000
        let bed = try RewriteFixture { store in
            try writer.fill(store, entries: 8000)
            for table in writer.tables {
                let entries = try store.entries(table).map { String(decoding: $0.key, as: UTF8.self) }
                try store.write { (now) throws(StorageError) in
                    for (number, key) in entries.enumerated() where number % 10 != 0 {
                        try now.remove(key, in: table)
                    }
                }
            }
        }
        let before = try bed.store.statistics()
        #expect(before.reclaimableBytes > before.bytesOnDisk / 2)
        #expect(before.reclaimableBytes >= before.freeBytes)
        try bed.complete()
        try bed.finishAndCompare()
        let size = try FileManager.default.attributesOfItem(atPath: bed.copyFolder.dataFile)[.size] as? UInt64
        #expect(try #require(size) < before.bytesOnDisk / 4)
    }

    @Test func progressGrowsToTheEnd() throws {
        var writer = RandomWriter(seed: 9)
        let bed = try RewriteFixture { store in try writer.fill(store, entries: 3000) }
        var last: UInt64 = 0
        while true {
            let progress = try bed.rewrite.step(limit: .zero)
            #expect(progress.done >= last && progress.done <= progress.total)
            last = progress.done
            if progress.isComplete { break }
        }
        #expect(last > 0)
    }

    /// In the present files, before anything is copied: writers and copy always agree on a version.
    @Test func aCompressedStoreGetsADictionaryOfTodaysDocuments() throws {
        let folder = try TestFolder()
        let copyFolder = try TestFolder()
        let options = StorageOptions(create: true, durability: .normal, compression: .lz4)
        let engine = try LMDBEngine(directory: folder.path, options: options, mapSize: 1 << 30)
        defer { engine.close() }
        func reading(_ number: Int) -> String {
            #"{"kind":"measurement","place":"hall \#(number % 7)","value":{"unit":"kelvin","value":\#(number)}}"#
        }
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<400 {
                _ = try transaction.add("\(number)", String(decoding: BodySamples.person(number), as: UTF8.self))
            }
        }
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<4000 { _ = try transaction.add("r\(number)", reading(number)) }
        }
        #expect(try engine.store.entries(.dictionaries).count == 1)
        let rewrite = try engine.beginRewrite(toDirectory: copyFolder.path)
        #expect(try engine.store.entries(.dictionaries).count == 2)
        try engine.write { (transaction) throws(StorageError) in _ = try transaction.add("new", reading(9999)) }
        try rewrite.finish()
        let copy = try LMDBEngine(directory: copyFolder.path, options: StorageOptions(), mapSize: 1 << 30)
        defer { copy.close() }
        #expect(try copy.store.entries(.dictionaries).count == 2)
        try copy.read { (transaction) throws(StorageError) in
            #expect(try transaction.json("new") == reading(9999))
            #expect(try transaction.json("r17") == reading(17))
            #expect(try transaction.json("3") == String(decoding: BodySamples.person(3), as: UTF8.self))
        }
        #expect(try copy.problems() == [])
    }

    // MARK: - Giving up

    @Test(arguments: [true, false])
    func aForeignCommitEndsIt(ownFollows: Bool) throws {
        var writer = RandomWriter(seed: 10)
        let bed = try RewriteFixture { store in try writer.fill(store, entries: 2000) }
        _ = try bed.rewrite.step(limit: .zero)
        try bed.writeAsAnother { (now) throws(StorageError) in try now.put("foreign", [1]) }
        if ownFollows { try bed.store.write { (now) throws(StorageError) in try now.put("own", [1]) } }
        #expect(code { _ = try bed.rewrite.step(limit: .zero) } == .conflict)
        #expect(code { try bed.rewrite.finish() } == .conflict)
    }

    @Test func aForeignCommitBeforeFinishingEndsIt() throws {
        var writer = RandomWriter(seed: 11)
        let bed = try RewriteFixture { store in try writer.fill(store, entries: 500) }
        try bed.complete()
        try bed.writeAsAnother { (now) throws(StorageError) in try now.put("foreign", [1]) }
        #expect(code { try bed.rewrite.finish() } == .conflict)
    }

    @Test func tooManyChangesEndIt() throws {
        var writer = RandomWriter(seed: 12)
        let bed = try RewriteFixture(limit: 20_000) { store in try writer.fill(store, entries: 500) }
        while bed.log.backlog.count > 0 || code({ _ = try bed.log.take(atMost: 0) }) == nil {
            try bed.store.write { (now) throws(StorageError) in
                for number in 0..<10 { try now.put("\(number)-\(writer.random.next())", []) }
            }
        }
        #expect(code { _ = try bed.rewrite.step(limit: .zero) } == .conflict)
    }

    @Test func oneTransactionCanBeTooMuch() throws {
        let bed = try RewriteFixture(limit: 20_000) { _ in }
        try bed.store.write { (now) throws(StorageError) in
            for number in 0..<1000 { try now.put("\(number)", []) }
        }
        #expect(code { _ = try bed.rewrite.step(limit: .zero) } == .conflict)
        // The store itself is unaffected.
        #expect(try bed.store.entries(.documents).count == 1000)
    }

    @Test func afterAFailedCommitNothingIsBelieved() throws {
        let log = WriteLog()
        log.begin(after: 5)
        let key = LoggedKey([1], in: .documents)
        log.willCommit(6, [key], cost: key.cost)
        log.didCommit(false)
        #expect(code { _ = try log.take(atMost: 10) } == .conflict)
        #expect(code { try log.check(5) } == .conflict)
    }

    /// LMDB makes no new version for a commit without changes.
    @Test func aCommitThatChangesNothingIsNone() throws {
        let bed = try RewriteFixture { _ in }
        try bed.store.write { (now) throws(StorageError) in
            try now.remove("absent")
            try now.put("format", [], in: .meta, mode: .insert)
        }
        try bed.store.write { (now) throws(StorageError) in try now.put("a", [1]) }
        try bed.complete()
        try bed.finishAndCompare()
    }

    @Test func whatIsRolledBackIsNotLogged() throws {
        let bed = try RewriteFixture { _ in }
        let now = try bed.store.beginWrite()
        try now.put("a", [1])
        now.end()
        #expect(bed.log.backlog.count == 0)
        try bed.store.write { (now) throws(StorageError) in try now.put("b", [1]) }
        #expect(bed.log.backlog.count == 1)
    }

    // MARK: - Ending

    @Test func oneAtATime() throws {
        let bed = try RewriteFixture { _ in }
        let folder = try TestFolder()
        #expect(code { _ = try bed.engine.beginRewrite(toDirectory: folder.path) } == .callback)
        bed.rewrite.cancel()
        bed.rewrite.cancel()
        #expect(code { _ = try bed.rewrite.step(limit: .zero) } == .notOpen)
        #expect(code { try bed.rewrite.finish() } == .notOpen)
        let again = try TestFolder()
        let next = try bed.engine.beginRewrite(toDirectory: again.path)
        try next.finish()
        next.cancel()
        try again.open(StorageOptions()).close()
    }

    @Test func insideAWriteTransactionItIsRefused() throws {
        let folder = try TestFolder()
        let copy = try TestFolder()
        let engine = try LMDBEngine(
            directory: folder.path,
            options: StorageOptions(create: true, durability: .normal),
            mapSize: 1 << 30
        )
        defer { engine.close() }
        let transaction = try engine.beginWrite()
        #expect(code { _ = try engine.beginRewrite(toDirectory: copy.path) } == .callback)
        transaction.rollback()
        try engine.beginRewrite(toDirectory: copy.path).cancel()
    }

    @Test func closingTheEngineEndsIt() throws {
        var writer = RandomWriter(seed: 13)
        let bed = try RewriteFixture { store in try writer.fill(store, entries: 2000) }
        _ = try bed.rewrite.step(limit: .zero)
        bed.engine.close()
        #expect(code { _ = try bed.rewrite.step(limit: .zero) } == .notOpen)
        #expect(code { try bed.rewrite.finish() } == .notOpen)
        bed.rewrite.cancel()
        #expect(code { _ = try bed.engine.beginRewrite(toDirectory: bed.copyFolder.path) } == .notOpen)
    }

    /// No snapshot is older than one step, so the source's pages soon become free again.
    @Test func nothingIsPinnedBetweenSteps() throws {
        var writer = RandomWriter(seed: 14)
        let bed = try RewriteFixture { store in try writer.fill(store, entries: 2000) }
        _ = try bed.rewrite.step(limit: .zero)
        #expect(bed.engine.openTransactions == 0)
        #expect(bed.store.environment.oldestSnapshotAge == nil)
    }
}

/// Writes at random on a thread of its own until it is stopped.
private final class WriterThread: Sendable {
    private let isStopped = Atomic(false)
    private let outcome = Locked<StorageError?>(nil)
    private let written = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(_ store: LMDBStore, seed: UInt64) {
        Thread { [self] in
            var writer = RandomWriter(seed: seed)
            while !isStopped.load(ordering: .relaxed) {
                do throws(StorageError) {
                    try writer.write(store)
                    written.signal()
                } catch {
                    outcome.withLock { $0 = error }
                    break
                }
            }
            written.signal()
            ended.signal()
        }.start()
    }

    var failure: StorageError? { outcome.withLock { $0 } }

    /// Returns when a transaction has been written, or one has failed.
    func waitForATransaction() { written.wait() }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        ended.wait()
        ended.signal()
    }
}

extension LoggedKey {
    fileprivate init(_ key: [UInt8], in table: Table) {
        self = key.withUnsafeBytes { LoggedKey($0, in: table) }
    }
}
