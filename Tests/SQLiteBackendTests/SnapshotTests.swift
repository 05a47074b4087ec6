internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// A read transaction shows one state, although it sends no BEGIN at its beginning, nor for its first operation.
@Suite struct SnapshotTests {
    /// First operations of each kind: with a row, without one, with many, with none.
    enum First: CaseIterable, Sendable {
        case found, missing, counters, all, noneInRange, expirationMissing, bodyMissing, infoMissing, indexMissing

        func run(_ transaction: any ReadTransaction) throws(StorageError) {
            switch self {
            case .found: #expect(try transaction.body(name(0)) != nil)
            case .missing: #expect(try transaction.body("nothing") == nil)
            case .counters: #expect(try transaction.counters().liveDocuments == 10)
            case .all: #expect(try transaction.ids().count == 10)
            case .noneInRange:
                let range = ByteRange(lower: .including(Array("x".utf8)), upper: .open)
                try transaction.records(in: range, descending: false, fields: .all) { (_) throws(StorageError) in true }
            case .expirationMissing: #expect(try transaction.expiration(of: DocumentID(name(0))) == nil)
            case .bodyMissing: #expect(try !transaction.revisionBody(at: 1) { (_) throws(StorageError) in })
            case .infoMissing: #expect(try transaction.info("key") == nil)
            case .indexMissing: #expect(try transaction.indexState("index") == nil)
            }
        }
    }

    @Test(arguments: First.allCases)
    func laterReadsSeeTheStateOfTheBeginning(first: First) throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<10)
        let transaction = try engine.beginRead()
        try engine.insert(10..<20)
        try first.run(transaction)
        try engine.insert(20..<30)
        try engine.checkpoint()
        try first.run(transaction)
        #expect(try transaction.counters().liveDocuments == 10)
        #expect(try transaction.ids().count == 10)
        transaction.end()
        #expect(try engine.read { (now) throws(StorageError) in try now.ids().count } == 30)
        try engine.checkpoint()
        #expect(store.size("-wal") == 0, "Nothing holds the snapshot any more.")
        #expect(try engine.statistics().openTransactions == 0)
        engine.close()
        #expect(store.size("-wal") == nil)
    }

    @Test(arguments: First.allCases)
    func laterReadsSeeTheStateOfTheFirst(first: First) throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<10)
        let transaction = try engine.beginSingleRead()
        try first.run(transaction)
        try engine.insert(10..<20)
        #expect(try transaction.counters().liveDocuments == 10)
        #expect(try transaction.body(name(15)) == nil)
        try engine.insert(20..<30)
        #expect(try transaction.ids().count == 10)
        #expect(try transaction.body(name(0)) == someBody(0))
        transaction.end()
        #expect(try engine.read { (now) throws(StorageError) in try now.ids().count } == 30)
        #expect(try engine.statistics().openTransactions == 0)
        engine.close()
    }

    /// The second operation begins while the first one's closure runs.
    @Test func nestedReadsSeeTheStateOfTheFirst() throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<10)
        let transaction = try engine.beginSingleRead()
        _ = try transaction.record(DocumentID(name(1)), fields: .all) { (outer) throws(StorageError) in
            try engine.insert(10..<11)
            #expect(try transaction.counters().liveDocuments == 10)
            // The same text again: a second statement.
            #expect(try transaction.body(name(2)) == someBody(2))
            #expect(outer.bodyCopy() == someBody(1))
        }
        try engine.insert(11..<12)
        #expect(try transaction.body(name(10)) == nil)
        #expect(try transaction.ids().count == 10)
        transaction.end()
        engine.close()
    }

    /// Its statement must not keep the log from starting over, nor the file from being closed.
    @Test func theEndLetsTheSnapshotGo() throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<100)
        let transaction = try engine.beginRead()
        #expect(try transaction.body(name(0)) != nil)
        try engine.insert(100..<200)
        try engine.checkpoint()
        #expect((store.size("-wal") ?? 0) > 0)
        transaction.end()
        try engine.checkpoint()
        #expect(store.size("-wal") == 0)
        engine.close()
    }

    /// A transaction that is released without `end`, and one that is ended inside its own closure.
    @Test func nothingIsLeftOpen() throws {
        let store = try TestStore()
        let engine = try store.open()
        try engine.insert(0..<10)
        do {
            let forgotten = try engine.beginRead()
            #expect(try forgotten.body(name(0)) != nil)
        }
        do {
            let forgotten = try engine.beginWrite()
            try forgotten.insert("lost", [123, 125])
        }
        try engine.insert(10..<11)
        #expect(try engine.read { (now) throws(StorageError) in try now.body("lost") } == nil)
        let transaction = try engine.beginRead()
        try transaction.records(in: .all, descending: false, fields: .all) { (_) throws(StorageError) in
            transaction.end()
            return false
        }
        #expect(code { _ = try transaction.counters() } == .notOpen)
        #expect(try engine.statistics().openTransactions == 0)
        engine.close()
        #expect(store.size("-wal") == nil)
    }
}
