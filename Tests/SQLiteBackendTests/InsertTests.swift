internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// New records are passed to SQLite many at a time; this has no visible effect.
@Suite struct InsertTests {
    /// Around the number of rows in a statement, with look-ups of records that are still queued.
    @Test(arguments: [1, 2, 15, 16, 17, 33, 100])
    func queuedRecordsAreFound(count: Int) throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<count {
                try transaction.insert(name(number), someBody(number))
                var found = false
                if number % 5 == 3 {
                    _ = try transaction.record(DocumentID(name(number)), fields: .all) {
                        (record) throws(StorageError) in
                        found = true
                        #expect(record.bodyCopy() == someBody(number))
                        #expect(record.sequence == UInt64(number + 1))
                    }
                    #expect(found)
                }
                #expect(try transaction.body("doc-x\(number)") == nil)
            }
            #expect(try transaction.ids().count == count)
        }
        #expect(try engine.read { (now) throws(StorageError) in try now.ids() } == (0..<count).map(name))
        #expect(try engine.problems() == [])
        engine.close()
    }

    /// Ascending, descending and mixed: IDs above all others are not looked up.
    @Test(arguments: 0..<3)
    func takenIDsAreRefused(order: Int) throws {
        let store = try TestStore()
        let engine = try store.open()
        let numbers = [Array(0..<60), Array((0..<60).reversed()), (0..<60).map { $0 * 37 % 60 }][order]
        try engine.write { (transaction) throws(StorageError) in
            for number in numbers {
                try transaction.insert(name(number), someBody(number))
                #expect(code { try transaction.insert(name(number), [123, 125]) } == .exists)
            }
        }
        try engine.write { (transaction) throws(StorageError) in
            for number in numbers { #expect(code { try transaction.insert(name(number), [123, 125]) } == .exists) }
            try transaction.insert(name(1000), someBody(1000))
        }
        #expect(try engine.read { (now) throws(StorageError) in try now.ids().count } == 61)
        #expect(try engine.problems() == [])
        engine.close()
    }

    /// A large one between small ones keeps its position, and numbers stay correct after a purge of the newest.
    @Test func largeRecordsAndPurges() throws {
        let store = try TestStore()
        let engine = try store.open()
        let large = Array("\"".utf8) + [UInt8](repeating: 0x61, count: 300_000) + Array("\"".utf8)
        try engine.write { (transaction) throws(StorageError) in
            for number in 0..<40 {
                try transaction.insert(name(number), number == 20 ? large : someBody(number))
                if number == 30 {
                    try transaction.purge(name(30))
                    continue
                }
                if number == 31 { try transaction.setExpiration(99, of: DocumentID(name(number))) }
            }
            var due: [String] = []
            try transaction.expirations(through: 100) { (_, id) throws(StorageError) in
                due.append(id.string)
                return true
            }
            #expect(due == [name(31)])
        }
        try engine.read { (now) throws(StorageError) in
            #expect(try now.body(name(20)) == large)
            #expect(try now.ids() == (0..<40).filter { $0 != 30 }.map(name))
            #expect(try now.counters().liveDocuments == 39)
        }
        #expect(try engine.problems() == [])
        engine.close()
    }

    /// What was queued is rolled back with the transaction.
    @Test func rollingBackForgetsTheQueue() throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<3)
        let transaction = try engine.beginWrite()
        for number in 3..<12 { try transaction.insert(name(number), someBody(number)) }
        transaction.rollback()
        #expect(try engine.read { (now) throws(StorageError) in try now.ids().count } == 3)
        engine.close()
    }
}
