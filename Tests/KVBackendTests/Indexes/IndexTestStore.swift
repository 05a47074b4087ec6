import StorageProtocol

@testable import SetteeKV

/// An LMDB engine in a folder of its own.
final class IndexTestStore {
    private let folder: TestFolder
    let engine: LMDBEngine

    init() throws {
        folder = try TestFolder()
        engine = try folder.openEngine()
    }

    deinit { engine.close() }

    /// Adds documents under sequences from 1.
    func add(_ ids: [String]) throws {
        try engine.write { (tx) throws(StorageError) in
            for id in ids { try tx.add(id) }
        }
    }

    /// The store's own entries of a table.
    func entries(_ table: Table) throws -> [(key: [UInt8], value: [UInt8])] {
        let transaction = try engine.store.beginRead()
        defer { transaction.end() }
        let cursor = try transaction.cursor(table)
        var entries: [(key: [UInt8], value: [UInt8])] = []
        var isThere = try cursor.seek(.first)
        while isThere {
            entries.append((Array(cursor.key), Array(cursor.value)))
            isThere = try cursor.next()
        }
        return entries
    }
}

/// A row with all that it shows.
struct ShownRow: Equatable {
    var key: [UInt8]
    var id: [UInt8]
    var emit: UInt32
    var sequence: UInt64
    var row: IndexRow

    static func isBefore(_ a: ShownRow, _ b: ShownRow) -> Bool {
        let byKey = compareBytes(a.key, b.key)
        if byKey != 0 { return byKey < 0 }
        let byID = compareBytes(a.id, b.id)
        return byID != 0 ? byID < 0 : a.emit < b.emit
    }
}

extension ReadTransaction {
    /// The rows of an index.
    func shownRows(
        _ name: String,
        _ range: IndexRange = .all,
        descending: Bool = false
    ) throws(StorageError) -> [ShownRow] {
        var rows: [ShownRow] = []
        try indexRows(name, in: range, descending: descending) { (view) throws(StorageError) in
            let key = view.withKey { key in key.withUnsafeBytes { Array($0) } }
            let row = IndexRow(
                key: key,
                keyJSON: view.withKeyJSON { json in json.withUnsafeBytes { Array($0) } },
                valueJSON: view.withValueJSON { json in json.withUnsafeBytes { Array($0) } }
            )
            let id = view.withID { id in id.withUnsafeBytes { Array($0) } }
            rows.append(ShownRow(key: key, id: id, emit: view.emit, sequence: try view.sequence(), row: row))
            return true
        }
        return rows
    }
}
