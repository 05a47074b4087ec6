internal import Dispatch
internal import Foundation
internal import StorageProtocol
internal import Synchronization
internal import Testing

@testable internal import SetteeSQLite

/// The number of connections for reading is limited, and they keep only what is useful.
@Suite struct ReaderTests {
    private func open(
        _ store: TestStore,
        limit: Int,
        patience: DispatchTimeInterval
    ) throws(StorageError) -> SQLiteEngine {
        let options = StorageOptions(create: true, durability: .normal)
        return try SQLiteEngine(
            directory: store.directory,
            options: options,
            kind: .plain(.linked()),
            readerLimit: limit,
            readerPatience: patience
        )
    }

    /// Every thread that read at the same time used to have a connection of its own: an unlimited number of file
    /// descriptors.
    @Test func asManyReadAtATimeAsMay() throws {
        let store = try TestStore()
        let engine = try open(store, limit: 4, patience: .seconds(60))
        try engine.insert(0..<10)
        let now = Atomic(0)
        let most = Atomic(0)
        let reads = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            try? engine.read { (transaction) throws(StorageError) in
                most.max(now.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
                if try transaction.ids().count == 10 { reads.add(1, ordering: .relaxed) }
                now.subtract(1, ordering: .relaxed)
            }
        }
        #expect(reads.load(ordering: .relaxed) == 200)
        #expect(most.load(ordering: .relaxed) <= 4)
        #expect(try engine.statistics().openTransactions == 0)
        engine.close()
        #expect(store.size("-wal") == nil)
    }

    @Test func whoWaitsInVainIsTold() throws {
        let store = try TestStore()
        let engine = try open(store, limit: 2, patience: .milliseconds(1))
        try engine.insert(0..<10)
        let held = [try engine.beginRead(), try engine.beginRead()]
        let elsewhere = onAnotherThread { code { try engine.beginRead().end() } }
        #expect(elsewhere == .busy)
        // A thread with a snapshot gets a further connection: otherwise it would wait for itself.
        let third = try engine.beginRead()
        #expect(try third.ids().count == 10)
        #expect(try engine.statistics().openTransactions == 3)
        #expect(try engine.problems() == [])
        third.end()
        held[0].end()
        let now = onAnotherThread { code { try engine.beginRead().end() } }
        #expect(now == nil)
        held[1].end()
        engine.close()
        #expect(store.size("-wal") == nil)
    }

    @Test func theLongestWaitingGetsTheFirstThatIsFree() throws {
        let store = try TestStore()
        let engine = try open(store, limit: 1, patience: .seconds(60))
        try engine.insert(0..<10)
        let held = try engine.beginRead()
        let count = Locked(0)
        let threads = (0..<8).map { _ in
            Work {
                let found = try? engine.read { (transaction) throws(StorageError) in try transaction.ids().count }
                count.withLock { $0 += found ?? 0 }
            }
        }
        held.end()
        for thread in threads { thread.join() }
        #expect(count.withLock { $0 } == 80)
        engine.close()
        #expect(store.size("-wal") == nil)
    }

    @Test func closingSendsThoseAwayWhoWait() throws {
        let store = try TestStore()
        let engine = try open(store, limit: 1, patience: .seconds(600))
        try engine.insert(0..<10)
        let held = try engine.beginRead()
        let outcomes = Locked<[StorageError.Code?]>([])
        let threads = (0..<3).map { _ in
            Work {
                let outcome = code { try engine.beginRead().end() }
                outcomes.withLock { $0.append(outcome) }
            }
        }
        engine.close()
        for thread in threads { thread.join() }
        #expect(outcomes.withLock { $0 } == [.notOpen, .notOpen, .notOpen])
        held.end()
        #expect(store.size("-wal") == nil)
    }

    /// A reader used to keep the statements of every index that it had ever read.
    @Test func statementsOfDroppedIndexesGo() throws {
        let store = try TestStore()
        let engine = try open(store, limit: 8, patience: .seconds(60))
        try fill(engine, ["a", "b", "c"])
        try readIndexes(engine)
        let kept = engine.state.withLock { $0.readers.keptIndexStatements }
        #expect(kept >= 3)
        try engine.write { (transaction) throws(StorageError) in try transaction.dropIndex("b") }
        #expect(engine.state.withLock { $0.readers.keptIndexStatements } == kept / 3 * 2)
        // A reader in use releases them when it ends.
        let held = try engine.beginRead()
        try held.readIndexes()
        try engine.write { (transaction) throws(StorageError) in try transaction.dropIndex("c") }
        #expect(try held.indexNames() == ["a", "c"])
        held.end()
        #expect(engine.state.withLock { $0.readers.keptIndexStatements } == kept / 3)
        // What is rolled back is not dropped anywhere.
        try engine.write { (transaction) throws(StorageError) in try transaction.dropIndex("a") }
        #expect(engine.state.withLock { $0.readers.keptIndexStatements } == 0)
        try fill(engine, ["a"])
        #expect(try engine.read { (transaction) throws(StorageError) in try transaction.indexNames() } == ["a"])
        engine.close()
    }

    /// Another process has its own engine, which does not notify this one.
    @Test func statementsOfIndexesThatOthersDropGo() throws {
        let store = try TestStore()
        let engine = try open(store, limit: 8, patience: .seconds(60))
        let other = try open(store, limit: 8, patience: .seconds(60))
        try fill(engine, ["a", "b", "c"])
        try readIndexes(engine)
        try other.write { (transaction) throws(StorageError) in
            for name in ["a", "b", "c"] { try transaction.dropIndex(name) }
            #expect(try !transaction.reclaimDroppedIndexes(for: .seconds(60)))
        }
        #expect(engine.state.withLock { $0.readers.keptIndexStatements } > 0)
        try engine.read { (transaction) throws(StorageError) in _ = try transaction.counters() }
        #expect(engine.state.withLock { $0.readers.keptIndexStatements } == 0)
        other.close()
        engine.close()
    }

    private func fill(_ engine: SQLiteEngine, _ names: [String]) throws {
        try engine.write { (transaction) throws(StorageError) in
            for name in names {
                try transaction.setIndexState(name, IndexState(version: "1", collationVersion: "1"))
                let row = IndexRow(key: [1], keyJSON: [49], valueJSON: nil)
                try transaction.replaceIndexRows(name, of: DocumentID("d"), sequence: 2, rows: [row])
            }
        }
    }

    private func readIndexes(_ engine: SQLiteEngine) throws {
        try engine.read { (transaction) throws(StorageError) in try transaction.readIndexes() }
    }

    private func onAnotherThread<R: Sendable>(_ body: @escaping @Sendable () -> R) -> R {
        let result = Locked<R?>(nil)
        Work { result.withLock { [value = body()] in $0 = value } }.join()
        return result.withLock { $0! }
    }
}

extension ReadTransaction {
    fileprivate func readIndexes() throws(StorageError) {
        for name in try indexNames() {
            var count = 0
            try indexRows(name, in: .all, descending: false) { (_) throws(StorageError) in
                count += 1
                return true
            }
            #expect(count == 1)
        }
    }
}

/// Work on a thread of its own.
private final class Work: Sendable {
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        let done = done
        Thread {
            body()
            done.signal()
        }.start()
    }

    func join() { done.wait() }
}
