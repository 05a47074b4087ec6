/// The tables of format version 1, described in docs/internals/sqlite-engine.md.
enum Schema {
    /// Tables in the order in which a copy writes them, each with its rows in the order of its primary key.
    static let tables: [(name: String, sql: String)] = [
        (
            "documents",
            """
            CREATE TABLE documents(doc INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, sequence INTEGER NOT NULL UNIQUE, \
            flags INTEGER NOT NULL, live INTEGER NOT NULL, revision NOT NULL, tree BLOB NOT NULL, \
            body TEXT NOT NULL)
            """
        ),
        ("bodies", "CREATE TABLE bodies(sequence INTEGER PRIMARY KEY, doc INTEGER NOT NULL, body TEXT NOT NULL)"),
        ("purges", "CREATE TABLE purges(sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, live INTEGER NOT NULL)"),
        (
            "local_documents",
            "CREATE TABLE local_documents(id TEXT NOT NULL PRIMARY KEY, revision TEXT NOT NULL, body TEXT NOT NULL)"
        ),
        (
            "expirations",
            "CREATE TABLE expirations(id TEXT NOT NULL PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID"
        ),
        ("info", "CREATE TABLE info(key TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"),
        (
            "blob_references",
            """
            CREATE TABLE blob_references(digest BLOB NOT NULL PRIMARY KEY, name TEXT NOT NULL, \
            length INTEGER NOT NULL, count INTEGER NOT NULL) WITHOUT ROWID
            """
        ),
        (
            "counters",
            """
            CREATE TABLE counters(one INTEGER PRIMARY KEY CHECK(one = 1), sequence INTEGER NOT NULL, \
            live INTEGER NOT NULL, extra INTEGER NOT NULL)
            """
        ),
        (
            "indexes",
            """
            CREATE TABLE indexes(number INTEGER PRIMARY KEY, name TEXT UNIQUE, version TEXT NOT NULL, \
            collation TEXT NOT NULL, last_sequence INTEGER NOT NULL, changed_sequence INTEGER NOT NULL, \
            row_count INTEGER NOT NULL, keeps_sequences INTEGER NOT NULL, entries INTEGER NOT NULL)
            """
        ),
        (
            "index_entries",
            """
            CREATE TABLE index_entries(number INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, \
            PRIMARY KEY(number, key)) WITHOUT ROWID
            """
        ),
        ("removed_entries", "CREATE TABLE removed_entries(number INTEGER PRIMARY KEY)"),
    ]

    static let indexes = [(table: "expirations", sql: "CREATE INDEX expirations_by_time ON expirations(time, id)")]

    static let firstRows = ["INSERT INTO counters(one, sequence, live, extra) VALUES(1, 0, 0, 0)"]

    /// Returns the tables for the rows of index `number`, and for the reverse record of each document in it.
    static func indexTables(_ number: Int64) -> [(name: String, sql: String)] {
        [
            (
                "index_\(number)",
                """
                CREATE TABLE index_\(number)(key BLOB NOT NULL, id TEXT NOT NULL, emit INTEGER NOT NULL, \
                key_json TEXT NOT NULL, value_json TEXT, PRIMARY KEY(key, id, emit)) WITHOUT ROWID
                """
            ),
            (
                "index_\(number)_documents",
                """
                CREATE TABLE index_\(number)_documents(id TEXT NOT NULL PRIMARY KEY, sequence INTEGER NOT NULL, \
                keys BLOB NOT NULL) WITHOUT ROWID
                """
            ),
        ]
    }
}
