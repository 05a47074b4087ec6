public import SetteeDocumentValues
public import SetteeEngine
internal import SetteeIndexes
public import StorageProtocol

/// A query of a view, or of all documents: a value that can be changed, compared, and run any number of times.
///
/// ```swift
/// var query = db.view("byAuthor").query(startKey: "C", endKey: "D")
/// query.descending = true
/// for row in try query.run() { print(row.key, row.value) }
/// ```
///
/// Inside `Database.read` and transactions the rows are of that state. Elsewhere they are read in batches, each from
/// one state, so that a slow consumer does not keep an old state alive. If the index is rebuilt between two batches,
/// the query fails with `conflict` (409).
public struct DatabaseQuery: Sendable, Equatable {
    /// What is queried.
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

    /// The database that is queried.
    public let database: Database
    let source: Source

    /// The key at which the rows begin; in descending order, the largest key. Nil: no limit. The JSON value null is a
    /// key.
    public var startKey: JSONValue?
    /// The key at which the rows end.
    public var endKey: JSONValue?
    /// The document ID at which the rows of `startKey`, or of each of `keys`, begin. Ignored without these.
    public var startKeyDocID: DocumentID?
    /// The document ID at which the rows of `endKey`, or of each of `keys`, end. Ignored without these.
    public var endKeyDocID: DocumentID?
    /// Whether rows at the start itself are part of the result: those of `startKey`, or of `startKeyDocID` if it is
    /// set.
    public var inclusiveStart = true
    /// Whether rows at the end itself are part of the result.
    public var inclusiveEnd = true
    /// Only these keys, in their order in the view, each once. `startKey` and `endKey` are then ignored.
    public var keys: [JSONValue]?
    /// Whether rows come from the largest key to the smallest.
    public var descending = false
    /// The highest number of rows; nil: all.
    public var limit: Int?
    /// How many rows are left out at the start.
    public var skip = 0
    /// Above 0, the upper end of the range (`endKey`, or `startKey` in descending order) includes every key that it is
    /// a prefix of. 1: a string is a prefix of strings, byte by byte, and an array of arrays that begin with its
    /// elements; 2: the last element of the array is such a prefix; and so on.
    public var prefixMatchLevel = 0
    /// Applied to rows before `skip` and `limit`.
    public var postFilter: QueryFilter?
    /// Whether rows are returned as they were emitted, even though the view has a reduce function.
    public var mapOnly = false
    /// Whether to reduce; nil: if the view has a reduce function. True for a view without one is an error (495).
    public var reduce: Bool?
    /// Whether there is one row for each key.
    public var group = false
    /// Above 0, one row for each prefix of this many elements of array keys, which becomes the key of the row. From 2
    /// on, rows whose keys are not arrays are left out; for 1 they are grouped by the whole key.
    public var groupLevel = 0
    /// Whether rows come with their documents.
    public var includeDocs = false
    /// When the index is updated.
    public var update = UpdateMode.before
    /// Whether `keys` are answered in the order in which they are given, and as often: what CouchDB does.
    package var keepsKeyOrder = false
    /// Whether a `groupLevel` from 2 on groups keys that are no arrays, too, by the whole key: what CouchDB does.
    package var groupsOtherKeys = false
    /// Whether a sum that cannot be made is an object with `error` in the place of the group's value: what CouchDB
    /// does. Else the query fails.
    package var keepsSumFaults = false

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
            && a.includeDocs == b.includeDocs && a.update == b.update && a.keepsKeyOrder == b.keepsKeyOrder
            && a.groupsOtherKeys == b.groupsOtherKeys && a.keepsSumFaults == b.keepsSumFaults
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
    /// Makes a query of this view. Nothing is read yet; the properties of the query are further options.
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
    /// Makes a query over all documents, with the options of queries of views: the way to list documents. Nothing is
    /// read yet; the properties of the query are further options. Keys are the IDs of the documents.
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
