internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// Value indexes as a kind of indexes.
struct ValueIndexKind: IndexKind {
    /// The prefix of the keys of info values that hold definitions.
    static let definitionPrefix = "find/"

    var recordPrefix: String { "index-value/" }
    var indexPrefix: String { "f/" }
    var isTraced: Bool { false }
    var words: IndexWords {
        IndexWords(
            noun: "index",
            plural: "indexes",
            index: "content of index",
            mapper: "index",
            rebuilding: "remove the index and create it again",
            renewing: "remove the index and create it again",
            lackingMapper: "is not defined. Create it, or leave out its name."
        )
    }

    func mapper(
        of name: IndexName,
        in database: Database,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> (any RowMapper)? {
        try database.valueIndexes.index(name.string, in: transaction).map { ValueIndexMapper($0) }
    }

    func order(of version: IndexVersion) -> KeyOrder? { ValueIndexMapper.order }

    func label(of version: IndexVersion) -> String { version.text }
}
