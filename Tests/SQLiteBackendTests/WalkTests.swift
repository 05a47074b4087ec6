internal import StorageProtocol
internal import Testing

@testable internal import SetteeSQLite

/// What walks over many records leave in the page cache of a reader.
@Suite struct WalkTests {
    enum Walk: CaseIterable {
        case ids, sequences, backwards, testedByID, testedInTable

        func run(_ transaction: any ReadTransaction) throws(StorageError) {
            func goOn(_ record: borrowing RecordView) throws(StorageError) -> Bool { true }
            func fails(_ id: RawSpan, _ body: RawSpan) throws(StorageError) -> Bool { false }
            switch self {
            case .ids:
                try transaction.records(in: .all, descending: false, fields: .all, goOn)
            case .sequences:
                try transaction.records(sequences: 0...UInt64.max, descending: false, fields: .all, goOn)
            case .backwards:
                try transaction.records(sequences: 0...UInt64.max, descending: true, fields: .all, goOn)
            case .testedByID:
                try transaction.records(in: .ids(.all, descending: false), where: fails, fields: .all, goOn)
            case .testedInTable:
                try transaction.records(in: .part(0, of: 1), where: fails, fields: .all, goOn)
            }
        }
    }

    private static let count = 2400
    /// A file of 29 MB, more than a reader's cache.
    private static let body = Array("{\"text\":\"\(String(repeating: "x", count: 8000))\"}".utf8)

    /// How much memory the cache of the only reader takes.
    private func cacheBytes(_ engine: any StorageEngine) throws -> Int {
        let transaction = try engine.beginRead()
        defer { transaction.end() }
        return try #require(transaction as? SQLiteReadTransaction).connection.cacheBytes
    }

    @Test(arguments: Walk.allCases)
    func leaveItAsLargeAsItIs(_ walk: Walk) throws {
        let store = try TestStore()
        let first = try store.open()
        try first.write { (transaction) throws(StorageError) in
            for number in 0..<Self.count { try transaction.insert(name(number), Self.body) }
        }
        first.close()
        let engine = try store.open()
        defer { engine.close() }
        try engine.read { (transaction) throws(StorageError) in try walk.run(transaction) }
        #expect(try cacheBytes(engine) < 8 << 20)
        try engine.read { (transaction) throws(StorageError) in
            for number in 0..<Self.count {
                let id = try DocumentID(name(number * 7 % Self.count))
                _ = try transaction.record(id, fields: .all) { (_) throws(StorageError) in }
            }
        }
        // Single reads have the whole cache, and a walk does not take it away.
        #expect(try cacheBytes(engine) > 14 << 20)
        try engine.read { (transaction) throws(StorageError) in try walk.run(transaction) }
        let after = try cacheBytes(engine)
        #expect(after > 14 << 20 && after < 18 << 20)
    }
}
