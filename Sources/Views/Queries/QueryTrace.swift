internal import SetteeEngine

/// Gathers what a trace says of a query, without the time that the caller takes for its rows.
struct QueryTrace: Sendable {
    private let trace: DatabaseTrace
    private let query: DatabaseQuery
    /// Whether rows are made of several.
    var isReduced = false
    private let began: UInt64
    private var mark: UInt64
    private var took: UInt64 = 0
    private var rows = 0
    private var size = 0
    private var isOver = false

    init(_ trace: DatabaseTrace, _ query: DatabaseQuery) {
        self.trace = trace
        self.query = query
        began = trace.now
        mark = began
    }

    /// A batch is going to be read.
    mutating func begin() { mark = trace.now }

    /// It was read.
    mutating func add(_ batch: [QueryRow], isEnd: Bool) {
        guard !isOver else { return }
        took += trace.now - mark
        rows += batch.count
        if query.includeDocs { size += batch.reduce(0) { $0 + ($1.documentSize ?? 0) } }
        guard isEnd else { return }
        isOver = true
        switch query.source {
        case .documents:
            trace.listed(
                rows: rows,
                size: query.includeDocs ? size : nil,
                descending: query.descending,
                began: began,
                took: took
            )
        case .view(let name):
            trace.queried(
                name.utf8,
                rows: rows,
                reduces: isReduced,
                level: isReduced ? (query.group ? 1000 : query.groupLevel) : 0,
                keys: query.keys?.count,
                withDocuments: query.includeDocs,
                descending: query.descending,
                began: began,
                took: took
            )
        }
    }
}
