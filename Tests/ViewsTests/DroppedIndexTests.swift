import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine
@testable import SetteeViews

/// The space of dropped indexes comes back by itself, in short transactions.
@Suite struct DroppedIndexTests {
    private static let documents = 3_000
    private static let isLong = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil

    private func fill(_ bed: TestDatabase) throws {
        try bed.database.inTransaction {
            for number in 0..<DroppedIndexTests.documents {
                try bed.database["d\(number)"].put(["number": .init(number), "text": "some text"])
            }
        }
        try bed.database.view("numbers").setMap(version: "1") { document, emit in
            emit(document["number"], 1)
            emit(document["text"], 1)
        }
        try bed.database.view("numbers").updateIndex()
    }

    private func hasDroppedIndexes(_ bed: TestDatabase) throws -> Bool {
        try bed.engine().read { (transaction) throws(StorageError) in try transaction.hasDroppedIndexes() }
    }

    /// The documented limit is 50 ms. It is met by 99 of 100 writes, as each waits for a slice; what single ones take
    /// depends on what else the machine does.
    private func expectShort(_ waits: [Duration]) throws {
        try #require(waits.count > 5)
        let sorted = waits.sorted()
        #expect(sorted[sorted.count - 1] < .seconds(1))
        if DroppedIndexTests.isLong {
            try #require(waits.count > 100)
            #expect(sorted[sorted.count * 99 / 100] < .milliseconds(50), "longest: \(sorted[sorted.count - 1])")
        }
    }

    @Test(arguments: Storage.all) func spaceComesBackAfterAViewIsDeleted(_ type: StorageType) throws {
        try withDatabase(type) { bed in
            try fill(bed)
            try bed.database.view("numbers").delete()
            #expect(try bed.engine().read { (tx) throws(StorageError) in try tx.indexNames() } == [])
            try expectEventually { try !hasDroppedIndexes(bed) }
        }
    }

    @Test(arguments: Storage.all) func spaceComesBackAfterAViewGotAnotherVersion(_ type: StorageType) throws {
        try withDatabase(type) { bed in
            try fill(bed)
            try bed.database.view("numbers").setMap(version: "2") { document, emit in emit(document["number"], nil) }
            #expect(try bed.database.view("numbers").query().keyList().count == DroppedIndexTests.documents)
            #expect(try bed.engine().read { (tx) throws(StorageError) in try tx.indexNames() }.count == 1)
            try expectEventually { try !hasDroppedIndexes(bed) }
        }
    }

    /// What a process has left that ended too early.
    @Test(arguments: Storage.persistent) func whatWasLeftIsFreedAfterOpeningAgain(_ type: StorageType) throws {
        try withDatabase(type) { bed in
            try fill(bed)
            try bed.engine().write { (transaction) throws(StorageError) in
                for name in try transaction.indexNames() { try transaction.dropIndex(name) }
                // The record of the view goes with it.
                try transaction.setInfo(nil, for: "index/numbers")
            }
            #expect(try hasDroppedIndexes(bed))
            try bed.reopen()
            try expectEventually { try !hasDroppedIndexes(bed) }
        }
    }

    @Test(arguments: Storage.persistent) func compactingLeavesNothingBehind(_ type: StorageType) throws {
        try withDatabase(type) { bed in
            try fill(bed)
            let before = try bed.database.compact().bytesAfter
            try bed.database.view("numbers").deleteIndex()
            let after = try bed.database.compact().bytesAfter
            #expect(try !hasDroppedIndexes(bed))
            #expect(after < before * 3 / 4)
        }
    }

    /// Other threads wait for one slice at most, however many rows an index has.
    @Test(arguments: Storage.all) func droppingMakesNobodyWait(_ type: StorageType) throws {
        try withDatabase(type) { bed in
            let rows = DroppedIndexTests.isLong ? 10_000_000 : 60_000
            try bed.engine().makeIndex("v/large", rows: rows)
            try bed.database.change { (session) throws(StorageError) in try session.dropIndex("v/large") }
            var waits: [Duration] = []
            while try hasDroppedIndexes(bed) {
                let start = ContinuousClock.now
                try bed.database["d\(waits.count % 100)-\(waits.count)"].put(["saved": true])
                waits.append(ContinuousClock.now - start)
            }
            try expectShort(waits)
        }
    }

    /// The same if all entries of an index are removed, as when a view gets another reduction.
    @Test(arguments: Storage.all) func removingAllEntriesMakesNobodyWait(_ type: StorageType) throws {
        try withDatabase(type) { bed in
            try bed.engine().makeIndex("v/large", rows: 10)
            try bed.engine().putEntries("v/large", DroppedIndexTests.isLong ? 10_000_000 : 60_000)
            var waits: [Duration] = []
            func measure(_ body: () throws -> Void) rethrows {
                let start = ContinuousClock.now
                try body()
                waits.append(ContinuousClock.now - start)
            }
            try measure {
                try bed.database.change { (session) throws(StorageError) in
                    try session.removeAllIndexEntries("v/large")
                }
            }
            while try hasDroppedIndexes(bed) {
                let number = waits.count
                try measure { try bed.database["d\(number % 100)-\(number)"].put(["saved": true]) }
            }
            try expectShort(waits)
            try bed.engine().read { (transaction) throws(StorageError) in
                #expect(try transaction.indexState("v/large")?.rowCount == 10)
                try transaction.indexEntries("v/large", in: .all, descending: false) { (_, _) throws(StorageError) in
                    Issue.record("an entry is left")
                    return false
                }
            }
            try bed.database.change { (session) throws(StorageError) in try session.dropIndex("v/large") }
        }
    }

    /// The partial results of the previous reduction are removed, and their space is freed.
    @Test(arguments: Storage.all) func spaceComesBackAfterAViewGotAnotherReduction(_ type: StorageType) throws {
        try withDatabase(type) { bed in
            try fill(bed)
            let view = bed.database.view("numbers")
            for reduce in [Reduce.count, .sum, .count] {
                try view.setMap(version: "1", reduce: reduce) { document, emit in
                    emit(document["number"], 1)
                    emit(document["text"], 1)
                }
                let row = try #require(try view.query().first())
                #expect(row.value == .int(Int64(2 * DroppedIndexTests.documents)))
                var entries = 0
                try bed.engine().read { (transaction) throws(StorageError) in
                    for name in try transaction.indexNames() {
                        try transaction.indexEntries(name, in: .all, descending: false) {
                            (_, _) throws(StorageError) in
                            entries += 1
                            return true
                        }
                    }
                }
                #expect(entries > 32, "too few to become waste")
            }
            try expectEventually { try !hasDroppedIndexes(bed) }
        }
    }
}

extension StorageEngine {
    fileprivate func putEntries(_ name: String, _ count: Int) throws {
        let entriesAtOnce = 100_000
        for start in stride(from: 0, to: count, by: entriesAtOnce) {
            var entries = IndexEntries()
            for number in start..<min(count, start + entriesAtOnce) {
                let digits = String(number)
                let text = Array((String(repeating: "0", count: 10 - digits.count) + digits).utf8)
                unsafe entries.append(key: text.span.bytes, value: text.span.bytes)
            }
            try write { (transaction) throws(StorageError) in try transaction.putIndexEntries(name, entries) }
        }
    }

    fileprivate func makeIndex(_ name: String, rows: Int) throws {
        let rowsAtOnce = 100_000
        try write { (transaction) throws(StorageError) in
            try transaction.setIndexState(name, IndexState(version: "1", collationVersion: "1"))
        }
        for start in stride(from: 0, to: rows, by: rowsAtOnce) {
            var batch = IndexBatch()
            for number in start..<min(rows, start + rowsAtOnce) {
                let digits = String(number)
                let text = Array((String(repeating: "0", count: 10 - digits.count) + digits).utf8)
                batch.begin(try DocumentID("d" + digits), sequence: 1)
                unsafe batch.add(key: text.span.bytes, keyJSON: text.span.bytes, valueJSON: nil)
            }
            try write { (transaction) throws(StorageError) in
                var changes = RowChanges(recordsPositions: false)
                try transaction.replaceIndexRows(name, by: [batch], areNew: true, changes: &changes)
            }
        }
    }
}
