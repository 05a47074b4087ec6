internal import StorageEngineKit
internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// New records are passed to SQLite many at a time; this has no visible effect.
@Suite struct InsertTests {
    /// Around the number of rows in a statement, with look-ups of records that are still queued.
    @Test(arguments: [1, 2, 3, 4, 5, 33, 63, 64, 65, 66, 130, 300])
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

    /// Records that together outgrow the queue's memory before there are many of them.
    @Test func queueOfLargeRecords() throws {
        let store = try TestStore()
        let engine = try store.open()
        let bodies = (0..<150).map { number in
            Array("\"".utf8) + [UInt8](repeating: 0x61 + UInt8(number % 26), count: 7000 + number * 17) + [0x22]
        }
        try engine.write { (transaction) throws(StorageError) in
            for (number, body) in bodies.enumerated() { try transaction.insert(name(number), body) }
        }
        try engine.read { (now) throws(StorageError) in
            for (number, body) in bodies.enumerated() { #expect(try now.body(name(number)) == body) }
        }
        #expect(try engine.problems() == [])
        engine.close()
    }

    /// The table that rows come from is in no file. One of its name in the file would hide it, and its rows would be
    /// written instead: nothing is.
    @Test func tableThatHidesTheFeed() throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<10)
        engine.close()
        let raw = try Connection(store.path, flags: 2, library: .linked())
        #expect(try raw.number("SELECT count(*) FROM sqlite_master WHERE name LIKE 'settee%'") == 0)
        try raw.execute("CREATE TABLE settee_feed(c0, c1, c2, c3, c4, c5, c6)")
        raw.close()
        let again = try store.open()
        let transaction = try again.beginWrite()
        let code = code {
            for number in 10..<40 { try transaction.insert(name(number), someBody(number)) }
            try transaction.commit()
        }
        #expect(code == .corrupt)
        transaction.rollback()
        #expect(try again.read { (now) throws(StorageError) in try now.ids().count } == 10)
        again.close()
    }

    /// A key that an index has twice is damage, whether rows are written one by one or together, and dooms the
    /// transaction.
    @Test(arguments: [1, 3, 4, 200, 600])
    func rowsThatAreThereAlready(count: Int) throws {
        let store = try TestStore()
        let engine = try store.open()
        var batch = IndexBatch()
        for number in 0..<count {
            let (id, key) = (Array(name(number).utf8), [UInt8(number >> 8), UInt8(number & 255)])
            let (keyJSON, value) = (Array("\(number)".utf8), Array("[\(number)]".utf8))
            unsafe batch.begin(id.span.bytes, sequence: UInt64(number + 1))
            if number % 3 == 0 {
                unsafe batch.add(key: key.span.bytes, keyJSON: keyJSON.span.bytes, valueJSON: nil)
            } else {
                unsafe batch.add(key: key.span.bytes, keyJSON: keyJSON.span.bytes, valueJSON: value.span.bytes)
            }
        }
        let load = IndexLoad([batch])
        try engine.write { (transaction) throws(StorageError) in
            let state = IndexState(version: "1", collationVersion: "1", lastChangedSequence: 9)
            try transaction.setIndexState("x", state)
            try transaction.fillIndex("x", from: load, rows: 0..<count, documents: 0..<count)
        }
        var seen = 0
        try engine.read { (now) throws(StorageError) in
            try now.indexRows("x", in: .all, descending: false) { (row) throws(StorageError) in
                row.withKeyJSON { #expect(String(decoding: $0.copy, as: UTF8.self) == "\(seen)") }
                let value = row.withValueJSON { String(decoding: $0.copy, as: UTF8.self) }
                #expect(value == (seen % 3 == 0 ? nil : "[\(seen)]"))
                seen += 1
                return true
            }
        }
        #expect(seen == count)
        let transaction = try engine.beginWrite()
        #expect(code { try transaction.fillIndex("x", from: load, rows: 0..<count, documents: 0..<0) } == .corrupt)
        #expect(code { try transaction.setInfo([1], for: "a") } == .corrupt)
        transaction.rollback()
        #expect(try engine.problems() == [])
        engine.close()
    }
}

extension RawSpan {
    fileprivate var copy: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
