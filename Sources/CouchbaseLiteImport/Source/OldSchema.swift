internal import StorageProtocol

/// Which tables an old database has: its version number does not tell.
struct OldSchema {
    private let columns: [String: Set<String>]
    /// Tables that are there, or that an index is said to belong to.
    private let named: Set<String>

    /// The tables that are read. Names that SQL is made of come from here alone.
    private static let known = ["docs", "revs", "localdocs", "info", "attachments", "views", "replicators"]
    private static let needed = [
        "docs": ["doc_id", "docid"], "revs": ["sequence", "doc_id", "revid", "parent", "current", "deleted", "json"],
    ]

    /// - Throws: `unsupportedFormat` (591) where they are not Couchbase Lite's; `corrupt` (591) where they cannot be
    ///   read.
    init(_ connection: SourceConnection) throws(StorageError) {
        var found = try OldSchema.tables(connection)
        if found["revs"] == nil {
            // A damaged definition, of an index say, keeps SQLite from reading any.
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

    /// Whether a table must have been there that cannot be read by now.
    func hasLost(_ table: String, _ names: String...) -> Bool {
        named.contains(table) && !(columns[table].map { $0.isSuperset(of: names) } ?? false)
    }

    private static func tables(_ connection: SourceConnection) throws(StorageError) -> [String: Set<String>] {
        var tables: [String: Set<String>] = [:]
        for table in known {
            var isTable = false
            var columns: Set<String> = []
            do throws(StorageError) {
                // A virtual table has no rows of its own, and a view may be made of anything.
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

    /// A column as SQL names it; NULL where the table has none of this name, as those of early releases have not.
    func column(_ name: String, of table: String) -> String { has(table, name) ? name : "NULL" }

    /// Whether there is a table with these columns.
    func has(_ table: String, _ names: String...) -> Bool {
        columns[table].map { $0.isSuperset(of: names) } ?? false
    }
}
