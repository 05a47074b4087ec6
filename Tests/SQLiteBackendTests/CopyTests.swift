internal import Foundation
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

@Suite struct CopyTests {
    @Test func aCopyIsPackedAndTheSame() throws {
        let store = try TestStore.filled(2000)
        let engine = try store.open()
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<2000 where number % 4 != 0 { try transaction.purge(name(number)) }
            try transaction.setIndexState("index", IndexState(version: "1", collationVersion: "1"))
            let row = IndexRow(key: [1, 2], keyJSON: [49], valueJSON: [50])
            try transaction.replaceIndexRows("index", of: DocumentID(name(8)), sequence: 9, rows: [row, row])
            try transaction.trimHiddenEntries(through: .max)
        }
        let copy = try TestStore()
        var steps: [UInt64] = []
        try engine.copy(toDirectory: copy.directory) { (done, of) throws(StorageError) in
            #expect(done <= of)
            steps.append(done)
        }
        #expect(steps == steps.sorted() && !steps.isEmpty)
        try engine.checkpoint()
        let (before, after) = (try #require(store.size("")), try #require(copy.size("")))
        #expect(after * 2 < before)
        let other = try copy.open(StorageOptions())
        try engine.read { (old) throws(StorageError) in
            try other.read { (new) throws(StorageError) in
                #expect(try new.counters() == old.counters())
                #expect(try new.ids() == old.ids())
                #expect(try new.indexState("index") == old.indexState("index"))
                #expect(try new.indexedSequence("index", DocumentID(name(8))) == 9)
                for number in stride(from: 0, to: 2000, by: 4) {
                    #expect(try new.body(name(number)) == someBody(number))
                }
            }
        }
        #expect(try other.problems() == [])
        // The copy can be written to.
        try other.insert(3000..<3010)
        #expect(try other.read { (now) throws(StorageError) in try now.counters().liveDocuments } == 510)
        other.close()
        engine.close()
    }

    @Test func progressCanStopIt() throws {
        let store = try TestStore.filled(3000)
        let engine = try store.open()
        let copy = try TestStore()
        let found = code {
            try engine.copy(toDirectory: copy.directory) { (_, _) throws(StorageError) in
                throw StorageError(.cancelled, "Stop.")
            }
        }
        #expect(found == .cancelled)
        #expect(try engine.statistics().openTransactions == 0)
        try engine.insert(3000..<3001)
        engine.close()
    }
}
