#if RocksDB
import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// Ranges that are removed by one change.
@Suite
struct RocksDBRangeTests {
    private static let count = 2_000

    private func open(_ path: String) throws(StorageError) -> RocksDBStore {
        try RocksDBStore(directory: path, options: StorageOptions(create: true), memory: 8 << 20)
    }

    private func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

    /// Puts `count` rows in two table files and the log.
    private func fill(_ store: RocksDBStore) throws {
        for third in 0..<3 {
            let transaction = try store.beginWrite()
            for number in stride(from: third, to: Self.count, by: 3) {
                try transaction.put(key(number), [UInt8(third)], in: .rows)
            }
            try transaction.commit()
            if third < 2 { try store.flush() }
        }
    }

    private func removeMiddle(_ transaction: RocksDBTransaction) throws(StorageError) -> RangeRemoval {
        let range = ByteRange(lower: .including(key(100)), upper: .excluding(key(1_900)))
        return try transaction.removeRange(range, in: .rows, until: .now)
    }

    /// Counts the rows forwards, backwards and by looking each up.
    private func counts(_ transaction: RocksDBTransaction) throws(StorageError) -> [Int] {
        let cursor = try transaction.cursor(.rows)
        defer { cursor.close() }
        var counts = [0, 0, 0]
        var isThere = try cursor.seek(.first)
        while isThere {
            counts[0] += 1
            isThere = try cursor.next()
        }
        isThere = try cursor.seek(.last)
        while isThere {
            counts[1] += 1
            isThere = try cursor.previous()
        }
        for number in 0..<Self.count {
            try key(number).withRawBytes { (key) throws(StorageError) in
                try transaction.withValue(of: key, in: .rows) { (value) throws(StorageError) in
                    if value != nil { counts[2] += 1 }
                }
            }
        }
        return counts
    }

    private func counts(in store: RocksDBStore) throws(StorageError) -> [Int] {
        let snapshot = try store.beginRead()
        defer { snapshot.end() }
        return try counts(snapshot)
    }

    private static let (all, rest) = ([2_000, 2_000, 2_000], [200, 200, 200])

    @Test("a range is removed by one change, for which snapshots, roll-backs, flushes and compactions are as usual")
    func removesRanges() throws {
        let folder = try TestFolder()
        let store = try open(folder.path)
        defer { store.close() }
        try fill(store)
        let snapshot = try store.beginRead()
        defer { snapshot.end() }
        let rolledBack = try store.beginWrite()
        let removal = try removeMiddle(rolledBack)
        #expect(removal.isComplete && removal.hasRemoved)
        #expect(try counts(rolledBack) == Self.rest)
        rolledBack.end()
        #expect(try counts(in: store) == Self.all)
        let transaction = try store.beginWrite()
        _ = try removeMiddle(transaction)
        try transaction.commit()
        for step in 0..<3 {
            #expect(try counts(in: store) == Self.rest, "step \(step)")
            #expect(try counts(snapshot) == Self.all, "step \(step)")
            if step == 0 { try store.flush() } else { try store.compact { (_, _) throws(StorageError) in } }
        }
        let later = try store.beginWrite()
        for number in 500..<600 { try later.put(key(number), [9], in: .rows) }
        #expect(try counts(later) == [300, 300, 300])
        try later.commit()
        #expect(try counts(in: store) == [300, 300, 300])
    }

    @Test("a removed range is in the log, and none of it is there after a kill")
    func keepsRangesInTheLog() throws {
        let folder = try TestFolder()
        let store = try open(folder.path)
        defer { store.close() }
        try fill(store)
        let transaction = try store.beginWrite()
        _ = try removeMiddle(transaction)
        try transaction.put(key(700), [9], in: .rows)
        try transaction.commit()
        let last = try store.beginWrite()
        try last.put(key(701), [9], in: .rows)
        try last.commit()
        // The files as a killed process leaves them.
        try FileManager.default.createDirectory(atPath: folder.path + "/copy", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: folder.path + "/rocksdb", toPath: folder.path + "/copy/rocksdb")
        let copy = try open(folder.path + "/copy")
        defer { copy.close() }
        #expect(copy.openingProblems.isEmpty)
        #expect(try counts(in: copy) == [202, 202, 202])
    }

    @Test("ranges that meet become one, and a put in one of them counts")
    func mergesRanges() throws {
        let folder = try TestFolder()
        let store = try open(folder.path)
        defer { store.close() }
        try fill(store)
        let transaction = try store.beginWrite()
        func remove(_ lower: Int, _ upper: Int) throws(StorageError) {
            _ = try transaction.removeRange(
                ByteRange(lower: .including(key(lower)), upper: .excluding(key(upper))),
                in: .rows,
                until: nil,
                oneByOne: 0
            )
        }
        for (lower, upper) in [(300, 400), (100, 200), (500, 600), (200, 300), (150, 550)] { try remove(lower, upper) }
        #expect(try counts(transaction) == [1_500, 1_500, 1_500])
        try transaction.put(key(350), [9], in: .rows)
        #expect(try counts(transaction) == [1_501, 1_501, 1_501])
        try remove(340, 360)
        try transaction.commit()
        #expect(try counts(in: store) == [1_500, 1_500, 1_500])
    }

    @Test("what was removed as a range does not count as the last key of a table")
    func appendsBehindWhatIsLeft() throws {
        let folder = try TestFolder()
        let store = try open(folder.path)
        defer { store.close() }
        func append(_ number: Int, to transaction: RocksDBTransaction) throws(StorageError) {
            _ = try key(number).withRawBytes { (key) throws(StorageError) in
                try transaction.put(key, in: .sequences, length: 0, mode: .append) { _ in }
            }
        }
        let transaction = try store.beginWrite()
        for number in 1...9 { try append(number, to: transaction) }
        _ = try transaction.removeRange(ByteRange(lower: .including(key(4))), in: .sequences, until: nil, oneByOne: 0)
        try append(5, to: transaction)
        #expect(throws: StorageError.self) { try append(5, to: transaction) }
        transaction.end()
    }

    @Test("a dropped index leaves nothing to reclaim, however many rows it had")
    func dropsIndexesAtOnce() throws {
        let folder = try TestFolder()
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions(create: true))
        defer { engine.close() }
        try engine.write { (tx) throws(StorageError) in
            try tx.setIndexState(
                "x",
                IndexState(version: "1", collationVersion: "c", lastSequence: 0, lastChangedSequence: 0)
            )
            for number in 0..<Self.count { try tx.putIndexEntry("x", key: key(number), value: [1]) }
        }
        try engine.write { (tx) throws(StorageError) in try tx.dropIndex("x") }
        #expect(try engine.read { (tx) throws(StorageError) in try tx.hasDroppedIndexes() } == false)
        let snapshot = try engine.store.beginRead()
        defer { snapshot.end() }
        let cursor = try snapshot.cursor(.entries)
        defer { cursor.close() }
        #expect(try cursor.seek(.first) == false)
    }
}
#endif
