public import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

/// A question to a view, or to all documents: a value, to be changed, compared, and run as often as wanted.
///
/// ```swift
/// var query = db.view("byAuthor").query(startKey: "C", endKey: "D")
/// query.descending = true
/// for row in try query.run() { print(row.key, row.value) }
/// ```
///
/// Inside `Database.read` and transactions the rows are of that state. Elsewhere they come in batches, each of one
/// state, so that a slow consumer keeps no old state alive; where the index is rebuilt between two batches, the query
/// fails with `conflict` (409).
public struct DatabaseQuery: Sendable, Equatable {
    /// What is asked.
    enum Source: Sendable, Equatable {
        case view(String)
        case documents(AllDocumentsMode)

        static func == (a: Source, b: Source) -> Bool {
            switch (a, b) {
            case (.view(let a), .view(let b)): a.utf8.elementsEqual(b.utf8)
            case (.documents(let a), .documents(let b)): a == b
            default: false
            }
        }
    }

    /// The database that is asked.
    public let database: Database
    let source: Source

    /// Where the rows begin: with the largest key where they are descending. Nil: at the beginning; JSON's null is a
    /// key.
    public var startKey: JSONValue?
    /// Where they end.
    public var endKey: JSONValue?
    /// Where the rows of `startKey` begin, by document ID. Of no account without `startKey`.
    public var startKeyDocID: DocumentID?
    /// Where the rows of `endKey` end, by document ID. Of no account without `endKey`.
    public var endKeyDocID: DocumentID?
    /// Whether rows at the start itself belong to the result: those of `startKey`, or of `startKeyDocID` where that is
    /// set.
    public var inclusiveStart = true
    /// Whether rows at the end itself belong to the result.
    public var inclusiveEnd = true
    /// These keys alone, in their order in the view, each once: ranges are ignored then.
    public var keys: [JSONValue]?
    /// From the largest key to the smallest.
    public var descending = false
    /// At most so many rows; nil: all.
    public var limit: Int?
    /// So many rows are left out at the start.
    public var skip = 0
    /// Above 0, the upper end of the range (`endKey`, or `startKey` where rows are descending) takes in every key that
    /// it is a prefix of. 1: a string is a prefix of strings, byte by byte, and an array of arrays that begin with its
    /// elements; 2: the last element of the array is such a prefix; and so on.
    public var prefixMatchLevel = 0
    /// Applied to rows before `skip` and `limit`.
    public var postFilter: QueryFilter?
    /// The rows as they were emitted, though the view has a reduce function.
    public var mapOnly = false
    /// Whether to reduce; nil: where the view has a reduce function. True where it has none is an error (495).
    public var reduce: Bool?
    /// One row for each key.
    public var group = false
    /// Above 0, one row for each beginning of so many elements of array keys, which becomes the row's key. From 2 on,
    /// rows whose keys are no arrays are left out; for 1 they are grouped by the whole key.
    public var groupLevel = 0
    /// Rows have their documents with them.
    public var includeDocs = false
    /// When the index is brought up to date.
    public var update = UpdateMode.before

    init(_ source: Source, of database: Database) {
        self.source = source
        self.database = database
    }

    public static func == (a: DatabaseQuery, b: DatabaseQuery) -> Bool {
        a.database === b.database && a.source == b.source && a.startKey == b.startKey && a.endKey == b.endKey
            && a.startKeyDocID == b.startKeyDocID && a.endKeyDocID == b.endKeyDocID
            && a.inclusiveStart == b.inclusiveStart && a.inclusiveEnd == b.inclusiveEnd && a.keys == b.keys
            && a.descending == b.descending && a.limit == b.limit && a.skip == b.skip
            && a.prefixMatchLevel == b.prefixMatchLevel && a.postFilter == b.postFilter && a.mapOnly == b.mapOnly
            && a.reduce == b.reduce && a.group == b.group && a.groupLevel == b.groupLevel
            && a.includeDocs == b.includeDocs && a.update == b.update
    }

    /// Whether rows are grouped.
    var isGrouped: Bool { group || groupLevel > 0 }

    /// - Throws: `badParameter` (495) for numbers below 0, and for options that contradict each other.
    func checkOptions() throws(StorageError) {
        guard skip >= 0, (limit ?? 0) >= 0, prefixMatchLevel >= 0, groupLevel >= 0 else {
            throw StorageError(
                .badParameter,
                "`skip`, `limit`, `prefixMatchLevel` and `groupLevel` must not be negative."
            )
        }
        guard !mapOnly || reduce != true && !isGrouped else {
            throw StorageError(.badParameter, "`mapOnly` rows are neither reduced nor grouped. Give one or the other.")
        }
        if case .documents = source, mapOnly || reduce == true || isGrouped {
            throw StorageError(
                .badParameter,
                "All documents are neither mapped, reduced nor grouped. Leave these options out, or ask a view."
            )
        }
    }
}

extension DatabaseView {
    /// A query of this view. Nothing is read yet; more options are the query's properties.
    public func query(
        startKey: (any JSONConvertible)? = nil,
        endKey: (any JSONConvertible)? = nil,
        keys: [(any JSONConvertible)?]? = nil,
        descending: Bool = false,
        limit: Int? = nil,
        skip: Int = 0,
        prefixMatchLevel: Int = 0,
        groupLevel: Int = 0,
        includeDocs: Bool = false,
        update: UpdateMode = .before
    ) -> DatabaseQuery {
        var query = DatabaseQuery(.view(name), of: database)
        query.setRange(startKey, endKey, keys, prefixMatchLevel)
        query.descending = descending
        query.limit = limit
        query.skip = skip
        query.groupLevel = groupLevel
        query.includeDocs = includeDocs
        query.update = update
        return query
    }
}

extension Database {
    /// A query over all documents, with the options of queries of views: the way to list documents. Nothing is read
    /// yet; more options are the query's properties. Keys are the documents' IDs.
    ///
    /// ```swift
    /// for row in try db.allDocumentsQuery(startKey: "a", endKey: "b").run() { print(row.key, row.documentRevisionID) }
    /// ```
    public func allDocumentsQuery(
        _ mode: AllDocumentsMode = .allDocs,
        startKey: (any JSONConvertible)? = nil,
        endKey: (any JSONConvertible)? = nil,
        keys: [(any JSONConvertible)?]? = nil,
        descending: Bool = false,
        limit: Int? = nil,
        skip: Int = 0,
        prefixMatchLevel: Int = 0,
        includeDocs: Bool = false
    ) -> DatabaseQuery {
        var query = DatabaseQuery(.documents(mode), of: self)
        query.setRange(startKey, endKey, keys, prefixMatchLevel)
        query.descending = descending
        query.limit = limit
        query.skip = skip
        query.includeDocs = includeDocs
        return query
    }
}

extension DatabaseQuery {
    fileprivate mutating func setRange(
        _ startKey: (any JSONConvertible)?,
        _ endKey: (any JSONConvertible)?,
        _ keys: [(any JSONConvertible)?]?,
        _ prefixMatchLevel: Int
    ) {
        self.startKey = startKey.map { $0.jsonValue }
        self.endKey = endKey.map { $0.jsonValue }
        self.keys = keys.map { keys in keys.map { JSONValue($0) } }
        self.prefixMatchLevel = prefixMatchLevel
    }
}
