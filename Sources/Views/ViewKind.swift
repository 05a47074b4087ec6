public import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

extension DatabaseModule {
    /// Makes views known to a database: `check` then covers their indexes, and conversions keep them. Otherwise a
    /// conversion leaves the indexes out, which are then built again. The umbrella module passes it.
    public static var views: DatabaseModule { DatabaseModule(indexes: ViewKind()) }
}

/// Views as users of indexes.
struct ViewKind: IndexKind {
    let recordPrefix = InfoKey.indexRecordPrefix
    let indexPrefix = "v/"
    let isTraced = true

    var words: IndexWords {
        IndexWords(
            noun: "view",
            plural: "views",
            index: "index of view",
            mapper: "map function",
            rebuilding: "delete the view's index",
            renewing: "delete the view and set it anew",
            lackingMapper: """
                has no map function here: set it with `setMap` each time the database is opened, or store a \
                definition. What was built before can be read with `update: .never`.
                """
        )
    }

    func mapper(
        of name: IndexName,
        in database: Database,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> (any RowMapper)? {
        try database.viewFunction(name, in: transaction)
    }

    func order(of version: IndexVersion) -> KeyOrder? { version.collation.order }

    func label(of version: IndexVersion) -> String { version.name }
}

extension IndexName {
    /// - Throws: `badID` (494) if it is empty, longer than 255 bytes, or contains NUL.
    init(view string: String) throws(StorageError) { try self.init(string, of: ViewKind()) }
}

extension IndexSnapshot {
    /// The map function of a view with its reduce function.
    var viewFunction: ViewFunction? { mapper as? ViewFunction }
}
