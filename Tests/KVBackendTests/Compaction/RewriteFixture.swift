import Foundation
import StorageConformance
import StorageProtocol
import Testing

@testable import SetteeKV

/// A store with random writes, and a rewrite of it.
final class RewriteFixture {
    let folder: TestFolder
    let copyFolder: TestFolder
    let engine: LMDBEngine
    let log: WriteLog
    let rewrite: KVRewrite<LMDBStore>

    /// - Parameters:
    ///   - prepare: what is there before the rewrite begins.
    ///   - limit: of the log.
    init(limit: Int = WriteLog.limit, _ prepare: (LMDBStore) throws -> Void) throws {
        folder = try TestFolder()
        copyFolder = try TestFolder()
        let options = StorageOptions(create: true, durability: .normal)
        engine = try LMDBEngine(directory: folder.path, options: options, mapSize: 1 << 30)
        try prepare(engine.store)
        log = WriteLog(limit: limit)
        let target = try LMDBStore(copyIn: copyFolder.path, mapSize: 1 << 30)
        rewrite = try KVRewrite(of: engine, to: target, log: log)
    }

    deinit {
        rewrite.cancel()
        engine.close()
    }

    var store: LMDBStore { engine.store }

    /// A commit that is not logged, like those of another process.
    func writeAsAnother(_ body: (LMDBTransaction) throws(StorageError) -> Void) throws {
        let followers = store.environment.followers.withLock { $0 }
        store.environment.followers.withLock { $0 = [] }
        try store.write(body)
        store.environment.followers.withLock { $0 = followers }
    }

    /// Steps until it is complete.
    func complete() throws {
        while try !rewrite.step(limit: .zero).isComplete {}
    }

    /// Finishes, and expects the copy to hold, entry by entry, what the source holds.
    func finishAndCompare(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try rewrite.finish()
        let copy = try copyFolder.open(StorageOptions())
        defer { copy.close() }
        for table in Table.allCases {
            let (wanted, found) = (try store.entries(table), try copy.entries(table))
            #expect(wanted == found, comment, sourceLocation: sourceLocation)
        }
    }
}

struct Entry: Equatable {
    var key: [UInt8]
    var value: [UInt8]
}

extension LMDBStore {
    func entries(_ table: Table) throws(StorageError) -> [Entry] {
        try read { (now) throws(StorageError) in
            let cursor = try now.cursor(table)
            defer { cursor.close() }
            var entries: [Entry] = []
            var isThere = try cursor.seek(.first)
            while isThere {
                entries.append(Entry(key: Array(cursor.key), value: Array(cursor.value)))
                isThere = try cursor.next()
            }
            return entries
        }
    }
}

/// Random writes, the same for the same seed.
struct RandomWriter {
    var random: SeededGenerator
    var tables: [Table] = [.documents, .sequences, .bodies, .rows, .chunks, .dictionaries]
    /// How many different keys there are in a table.
    var keys = 600

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func fill(_ store: LMDBStore, entries: Int) throws {
        for _ in 0..<(entries / 100) {
            try store.write { (now) throws(StorageError) in
                for _ in 0..<100 { try put(now) }
            }
        }
    }

    /// One transaction of puts, removals by key and by cursor; some are rolled back.
    mutating func write(_ store: LMDBStore) throws(StorageError) {
        let now = try store.beginWrite()
        defer { now.end() }
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1: try removeAtCursor(now)
            case 2...4: try now.remove(key(), in: table())
            default: try put(now)
            }
        }
        if Int.random(in: 0..<8, using: &random) > 0 { try now.commit() }
    }

    private mutating func put(_ now: LMDBTransaction) throws(StorageError) {
        // Some are too large for a page.
        let length = Int.random(in: 0..<10, using: &random) == 0 ? 20_000 : Int.random(in: 0...900, using: &random)
        let value = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: length)
        try now.put(key(), value, in: table())
    }

    private mutating func removeAtCursor(_ now: LMDBTransaction) throws(StorageError) {
        let cursor = try now.cursor(table())
        defer { cursor.close() }
        guard try cursor.seek(atOrAfter: key()) else { return }
        try cursor.remove()
        if try cursor.next(), Bool.random(using: &random) { try cursor.remove() }
    }

    private mutating func key() -> String {
        let number = Int.random(in: 0..<keys, using: &random)
        return "\(number)" + String(repeating: "-", count: number % 5 == 0 ? 400 : 3)
    }

    private mutating func table() -> Table { tables[Int.random(in: 0..<tables.count, using: &random)] }
}
