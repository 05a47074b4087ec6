internal import SetteeCouchProtocol
internal import SetteeEngine
internal import SetteeIndexes
internal import SetteeQueries
internal import StorageProtocol

/// A query of a request, with the way in which its rows are found.
struct FindSearch: Sendable {
    let request: FindRequest
    var cursor: FindCursor
    /// Whether the index that the request names is not read.
    private(set) var isFallback = false
    /// The indexes that have to be brought up to date first.
    private(set) var outdated: [IndexName] = []

    /// So many rows are sorted at a time, which bounds the memory.
    private static let mostSorted = 10_000

    /// Blocks.
    ///
    /// - Parameter mayUpdate: Whether the caller brings `outdated` up to date, and then makes another search.
    /// - Throws: `no_usable_index` (400) for an order that no index has, `invalid_index` (400) where the request allows
    ///   no other index, `invalid_bookmark`, and what is wrong with fields.
    init(
        _ request: FindRequest,
        of database: Database,
        mayUpdate: Bool,
        _ cancellation: Cancellation
    ) throws {
        let indexes = try database.definedIndexes()
        let mark = try request.bookmark.map { try FindBookmark($0, request.sort, indexes) }
        var found: FindSearch?
        let queries = try request.queries(of: database, indexes)
        for (place, query) in queries.enumerated() {
            let isLast = place == queries.count - 1
            guard try query.hasIndexForSort() else {
                if isLast { throw CouchError.noSortIndex }
                continue
            }
            do throws(StorageError) {
                var search = try FindSearch(request, query, behind: mark, mayUpdate: mayUpdate, cancellation)
                search.isFallback = isLast && !request.useIndex.isEmpty
                if isLast || search.readsIndex {
                    found = search
                    break
                }
            } catch {
                guard mark != nil, error.code == .conflict else { throw error }
                if isLast { throw CouchError.invalidBookmark("its query, or an index, was changed. Begin again.") }
            }
        }
        // There is always the last query.
        guard let found else { throw CouchError.noSortIndex }
        self = found
        if !request.allowsFallback, isFallback || cursor.isFullScan && outdated.isEmpty { throw request.noFallback }
    }

    private init(
        _ request: FindRequest,
        _ query: FindQuery,
        behind mark: FindBookmark?,
        mayUpdate: Bool,
        _ cancellation: Cancellation
    ) throws(StorageError) {
        self.request = request
        var query = query
        query.hints.route = mark?.route
        cursor = try FindCursor(query, behind: mark?.position)
        cursor.mostSorted = FindSearch.mostSorted
        outdated = try cursor.prepare(mayUpdate: mayUpdate, cancellation)
    }

    private var readsIndex: Bool { !outdated.isEmpty || !cursor.indexes.isEmpty }

    /// Whether reading the rows may take a thread for long.
    var isLong: Bool { cursor.isFullScan || cursor.isSorted }

    /// CouchDB's warnings, after the last row.
    var warning: String? {
        var warnings: [String] = []
        if isFallback { warnings.append(request.unusedIndexWarning) }
        if cursor.lacksIndex {
            warnings.append("No matching index found, create an index to optimize query time.")
        }
        let statistics = cursor.statistics
        if statistics.documentsExamined > 10 * max(1, statistics.rowsReturned) {
            warnings.append(
                "The number of documents examined is high in proportion to the number of results returned. Consider "
                    + "adding a more specific index to improve this."
            )
        }
        return warnings.isEmpty ? nil : warnings.joined(separator: "\n")
    }

    /// Where the last row is, as text; `nil` if there are no rows at all.
    var bookmark: String {
        guard let position = cursor.position, let route = cursor.route else { return request.bookmark ?? "nil" }
        return FindBookmark(route: route, position: position).text(request.sort)
    }
}
