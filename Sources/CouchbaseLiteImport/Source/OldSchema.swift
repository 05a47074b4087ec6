internal import StorageProtocol

/// The tables of an old database. Its version number does not tell which ones it has.
struct OldSchema {
    private let columns: [String: Set<String>]
    /// Tables that exist, or that an index names as its table.
    private let named: Set<String>

    /// The tables that are read. No other names are inserted into SQL.
    private static let known = ["docs", "revs", "localdocs", "info", "attachments", "views", "replicators"]
    private static let needed = [
        "docs": ["doc_id", "docid"], "revs": ["sequence", "doc_id", "revid", "parent", "current", "deleted", "json"],
    ]

    /// - Throws: `unsupportedFormat` (591) if they are not Couchbase Lite's; `corrupt` (591) if they cannot be read.
    init(_ connection: SourceConnection) throws(StorageError) {
        var found = try OldSchema.tables(connection)
        if found["revs"] == nil {
            // One damaged definition, for example of an index, keeps SQLite from reading all others.
            try? connection.execute("PRAGMA writable_schema = ON")
            found = try OldSchema.tables(connection)
        }
        for (table, columns) in OldSchema.needed {
            guard let present = found[table], present.isSuperset(of: columns) else {
                throw StorageError(
                    .unsupportedFormat,
                    "The file has not the tables of Couchbase Lite 1.0 to 1.4. Databases of 2.0 and later, and other "
                        + "SQLite files, cannot "
                        + "be imported."
                )
            }
        }
        columns = found
        named = try OldSchema.named(connection)
    }

    private static func named(_ connection: SourceConnection) throws(StorageError) -> Set<String> {
        var named: Set<String> = []
        do throws(StorageError) {
            try connection.rows("SELECT tbl_name, name FROM sqlite_master") { (row) throws(StorageError) in
                for column in [0, 1] as [Int32] {
                    guard let name = row.text(column) else { continue }
                    let table = known.first { name == $0 || name.hasPrefix("sqlite_autoindex_\($0)_") }
                    if let table { named.insert(table) }
                }
                return true
            }
        } catch {
            guard error.isDamage else { throw error }
        }
        return named
    }

    /// Returns whether a table must have existed but can no longer be read.
    func hasLost(_ table: String, _ names: String...) -> Bool {
        named.contains(table) && !(columns[table].map { $0.isSuperset(of: names) } ?? false)
    }

    private static func tables(_ connection: SourceConnection) throws(StorageError) -> [String: Set<String>] {
        var tables: [String: Set<String>] = [:]
        for table in known {
            var isTable = false
            var columns: Set<String> = []
            do throws(StorageError) {
                // Virtual tables are skipped because they have no rows of their own, and views because they may contain
                // anything.
                try connection.rows(
                    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(table)' AND sql LIKE 'CREATE "
                        + "TABLE%' AND rootpage > 0"
                ) { (_) throws(StorageError) in
                    isTable = true
                    return false
                }
                guard isTable else { continue }
                try connection.rows("PRAGMA table_info(\(table))") { (row) throws(StorageError) in
                    if let name = row.text(1) { columns.insert(name) }
                    return true
                }
            } catch {
                guard error.isDamage else { throw error }
                continue
            }
            tables[table] = columns
        }
        return tables
    }

    /// Returns a column's name for SQL; NULL if the table has no such column, as in early releases.
    func column(_ name: String, of table: String) -> String { has(table, name) ? name : "NULL" }

    /// Returns whether there is a table with these columns.
    func has(_ table: String, _ names: String...) -> Bool {
        columns[table].map { $0.isSuperset(of: names) } ?? false
    }
}
