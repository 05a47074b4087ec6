package import SetteeEngine
package import StorageProtocol

/// One user of the indexes of a database: views, or value indexes. Each has its own names, records and mappers;
/// everything else is the same for all kinds.
package protocol IndexKind: Sendable {
    /// The prefix of an index's name in the key of the info value that holds its record. `InfoKey.isOfIndexes` must
    /// know it, and it tells the kinds apart.
    var recordPrefix: String { get }
    /// The prefix of the names of the indexes in the store.
    var indexPrefix: String { get }
    /// What messages call an index of this kind.
    var words: IndexWords { get }
    /// Whether the trace of a database has the updates.
    var isTraced: Bool { get }

    /// Returns what makes the rows of an index in one state of the database; nil if that is unknown in this program.
    func mapper(
        of name: IndexName,
        in database: Database,
        _ transaction: any ReadTransaction
    ) throws(StorageError) -> (any RowMapper)?

    /// Returns the order of an index whose mapper is unknown; nil if the version does not say it.
    func order(of version: IndexVersion) -> KeyOrder?

    /// Returns a version as messages show it.
    func label(of version: IndexVersion) -> String
}

/// What messages call an index of one kind.
package struct IndexWords: Sendable {
    /// "view"
    package var noun: String
    package var plural: String
    /// What the rows are in: "index of view".
    package var index: String
    /// What makes the rows: "map function".
    package var mapper: String
    /// How a missing or damaged index is built again: "delete the view's index".
    package var rebuilding: String
    /// How a damaged record is replaced: "delete the view and set it anew".
    package var renewing: String
    /// Follows "The view 'NAME' ", where the mapper is needed but unknown.
    package var lackingMapper: String

    package init(
        noun: String,
        plural: String,
        index: String,
        mapper: String,
        rebuilding: String,
        renewing: String,
        lackingMapper: String
    ) {
        self.noun = noun
        self.plural = plural
        self.index = index
        self.mapper = mapper
        self.rebuilding = rebuilding
        self.renewing = renewing
        self.lackingMapper = lackingMapper
    }

    /// "a view"
    var nounWithArticle: String { ("aeiou".contains(noun.prefix(1)) ? "an " : "a ") + noun }
}
