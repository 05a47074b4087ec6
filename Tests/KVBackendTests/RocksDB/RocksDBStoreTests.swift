#if RocksDB
import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// What the seam asks of a store, on RocksDB: the store in sorted arrays is the reference.
@Suite
struct RocksDBStoreTests {
    @Test("transactions and cursors agree with sorted arrays, while tables are written", arguments: UInt64(1)...30)
    func agreesWithSortedArrays(seed: UInt64) throws {
        try withStore { (store) throws in
            var random = SeededGenerator(seed: seed)
            let reference = SortedStore<NoLimit>()
            for _ in 0..<12 {
                let (transaction, model) = (try store.beginWrite(), try reference.beginWrite())
                // In most runs two entries of a range at most are removed one by one.
                var writing = OrderedRun(transaction, model, &random) { (transaction, range, table) in
                    let few = [0, 1, 2, .max][random.below(4)]
                    _ = try transaction.removeRange(range, in: table, until: nil, oneByOne: few)
                }
                try writing.run(operations: 120)
                if random.chance(1, in: 4) {
                    transaction.end()
                    model.end()
                } else {
                    try transaction.commit()
                    try model.commit()
                }
                let (snapshot, image) = (try store.beginRead(), try reference.beginRead())
                var reading = OrderedRun(snapshot, image, &random)
                try reading.read(operations: 60)
                snapshot.end()
                image.end()
                if random.chance(1, in: 5) { try store.flush() }
            }
        }
    }

    @Test("large transactions agree with sorted arrays, too", arguments: UInt64(1)...4)
    func agreesInLargeTransactions(seed: UInt64) throws {
        try withStore { (store) throws in
            var random = SeededGenerator(seed: seed)
            let reference = SortedStore<NoLimit>()
            for _ in 0..<3 {
                let (transaction, model) = (try store.beginWrite(), try reference.beginWrite())
                // Keys of up to 12 bytes, of which many begin alike.
                var writing = OrderedRun(transaction, model, &random, longestKey: 12)
                try writing.run(operations: 6000)
                try transaction.commit()
                try model.commit()
                let (snapshot, image) = (try store.beginRead(), try reference.beginRead())
                var reading = OrderedRun(snapshot, image, &random, longestKey: 12)
                try reading.read(operations: 1000)
                snapshot.end()
                image.end()
            }
        }
    }

    @Test("what was rolled back or removed does not count as the last key of a table")
    func appendsBehindWhatIsThere() throws {
        try withStore { (store) throws in
            func append(_ key: UInt8, to transaction: RocksDBTransaction) throws(StorageError) {
                _ = try [key].withRawBytes { (key) throws(StorageError) in
                    try transaction.put(key, in: .sequences, length: 1, mode: .append) { $0[0] = 1 }
                }
            }
            func write(_ body: (RocksDBTransaction) throws(StorageError) -> Void) throws(StorageError) {
                let transaction = try store.beginWrite()
                try body(transaction)
                try transaction.commit()
            }
            try write { (it) throws(StorageError) in try append(3, to: it) }
            let rolledBack = try store.beginWrite()
            try append(9, to: rolledBack)
            rolledBack.end()
            try write { (it) throws(StorageError) in try append(5, to: it) }
            #expect(throws: StorageError.self) {
                try write { (it) throws(StorageError) in try append(4, to: it) }
            }
            try write { (it) throws(StorageError) in
                _ = try [5].withRawBytes { (key) throws(StorageError) in
                    try it.remove(key, in: .sequences, mode: .known)
                }
                try append(4, to: it)
            }
            try write { (it) throws(StorageError) in
                _ = try [7].withRawBytes { (key) throws(StorageError) in
                    try it.put(key, in: .sequences, length: 1, mode: .new) { $0[0] = 1 }
                }
            }
            #expect(throws: StorageError.self) {
                try write { (it) throws(StorageError) in try append(6, to: it) }
            }
            try write { (it) throws(StorageError) in try append(8, to: it) }
        }
    }

    @Test("a transaction beyond its limit is 507, and leaves nothing")
    func limitsTransactions() throws {
        try withStore(transactionLimit: 1 << 20) { (store) throws in
            let value = [UInt8](repeating: 7, count: 100_000)
            let transaction = try store.beginWrite()
            var failure: StorageError?
            for number in UInt8(0)..<20 where failure == nil {
                do throws(StorageError) { try transaction.put([number], value) } catch { failure = error }
            }
            #expect(failure?.code == .full)
            #expect(throws: StorageError.self) { try transaction.commit() }
            let snapshot = try store.beginRead()
            defer { snapshot.end() }
            #expect(try snapshot.cursor(.documents).seek(.first) == false)
            let next = try store.beginWrite()
            try next.put([1], value)
            try next.commit()
        }
    }

    @Test("what a closure ends stays readable until it returns")
    func endsInsideOfReads() throws {
        let folder = try TestFolder()
        let store = try RocksDBStore(directory: folder.path, options: StorageOptions(create: true))
        let writer = try store.beginWrite()
        for number in UInt8(1)...40 { try writer.put([number], [UInt8](repeating: number, count: 5_000)) }
        try writer.commit()
        try store.flush()
        let snapshot = try store.beginRead()
        try [UInt8(3)].withRawBytes { (key) throws(StorageError) in
            try snapshot.withValue(of: key, in: .documents) { (value) throws(StorageError) in
                snapshot.end()
                store.close()
                #expect(value.map { Array($0) } == [UInt8](repeating: 3, count: 5_000))
            }
        }
        // It is closed now: the files can be opened again.
        let again = try RocksDBStore(directory: folder.path, options: StorageOptions())
        again.close()
    }

    @Test("files that are open are 423 for another opening")
    func locksFiles() throws {
        let folder = try TestFolder()
        let store = try RocksDBStore(directory: folder.path, options: StorageOptions(create: true))
        let failure = #expect(throws: StorageError.self) {
            _ = try RocksDBStore(directory: folder.path, options: StorageOptions())
        }
        #expect(failure?.code == .inUse)
        store.close()
        try RocksDBStore(directory: folder.path, options: StorageOptions()).close()
    }

    @Test("compaction frees what was overwritten, can be stopped, and is refused on the thread that writes")
    func compacts() throws {
        let folder = try TestFolder()
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions(create: true), memory: 8 << 20)
        defer { engine.close() }
        var random = SeededGenerator(seed: 5)
        for turn in 0..<3 {
            for number in UInt8(0)..<100 {
                let value = random.bytes(20_000)
                let transaction = try engine.store.beginWrite()
                try transaction.put([number], value)
                try transaction.commit()
            }
            if turn < 2 { try engine.store.flush() }
        }
        let before = try engine.statistics().bytesOnDisk
        var steps = 0
        let stop = #expect(throws: StorageError.self) {
            try engine.compact { (_, _) throws(StorageError) in
                steps += 1
                if steps == 2 { throw StorageError(.cancelled, "Stop.") }
            }
        }
        #expect(stop?.code == .cancelled)
        let writer = try engine.beginWrite()
        let refusal = #expect(throws: StorageError.self) {
            try engine.compact { (_, _) throws(StorageError) in }
        }
        #expect(refusal?.code == .callback)
        writer.rollback()
        var last: UInt64 = 0
        try engine.compact { (done, _) throws(StorageError) in
            #expect(done >= last)
            last = done
        }
        #expect(last == RocksDBStore.compactionSteps)
        #expect(try engine.statistics().bytesOnDisk < before)
        #expect(try engine.store.statistics().freeBytes < 1 << 20)
    }

    @Test("a check can be stopped while it reads a table")
    func stopsChecks() throws {
        let folder = try TestFolder()
        let engine = try RocksDBEngine(directory: folder.path, options: StorageOptions(create: true), memory: 8 << 20)
        defer { engine.close() }
        let transaction = try engine.store.beginWrite()
        for number in 0..<20_000 { try transaction.put([UInt8(number >> 8), UInt8(number & 0xFF)], [1]) }
        try transaction.commit()
        var steps = 0
        let stop = #expect(throws: StorageError.self) {
            try engine.verify(
                progress: { (done, _) throws(StorageError) in
                    steps += 1
                    #expect(done == 0)
                    if steps == 5 { throw StorageError(.cancelled, "Stop.") }
                },
                { _ in }
            )
        }
        #expect(stop?.code == .cancelled)
        #expect(steps == 5)
    }

    private func withStore(
        transactionLimit: Int = RocksDBStore.usualTransactionLimit,
        _ body: (RocksDBStore) throws -> Void
    ) throws {
        let folder = try TestFolder()
        let store = try RocksDBStore(
            directory: folder.path,
            options: StorageOptions(create: true, durability: .normal),
            memory: 8 << 20,
            transactionLimit: transactionLimit
        )
        defer { store.close() }
        try body(store)
    }
}

extension OrderedTransaction {
    func put(_ key: [UInt8], _ value: [UInt8], in table: Table = .documents) throws(StorageError) {
        try key.withRawBytes { (key) throws(StorageError) in
            _ = try put(key, in: table, length: value.count, mode: .upsert) { $0.copyBytes(from: value) }
        }
    }
}
#endif
