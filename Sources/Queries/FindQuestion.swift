internal import SetteeDocumentValues
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// What does not change about a query. Its copies share it.
final class FindQuestion: Sendable {
    let condition: JSONObject
    let selector: MangoSelector
    private let readsRevision: Bool
    /// The plans of the runs before.
    let kept = KeptPlans()

    init(_ condition: JSONObject, _ selector: MangoSelector) {
        self.condition = condition
        self.selector = selector
        readsRevision = selector.readsRevision
    }

    /// Which fields of records `matches` reads.
    var fields: RecordFields { readsRevision ? [.winner, .body] : .body }

    /// Whether a query finds a document. It allocates nothing itself, and hands the lent text on.
    ///
    /// - Parameter examined: counts the documents that are compared with the selector.
    func matches(_ record: borrowing RecordView, _ examined: inout Int) throws(StorageError) -> Bool {
        if record.flags.contains(.deleted) { return false }
        let isPossible = try record.withID { (id) throws(StorageError) in
            try record.withBody { (body) throws(StorageError) in try mayMatch(id, body, &examined) }
        }
        return isPossible ? try matchesRevision(record) : false
    }

    /// Whether a query finds a document that is not deleted, as far as its ID and its body tell. The rest is up to
    /// `matchesRevision`.
    func mayMatch(_ id: RawSpan, _ body: RawSpan, _ examined: inout Int) throws(StorageError) -> Bool {
        if id.isDesignID { return false }
        examined += 1
        return readsRevision ? true : try selector.matches(body, id: id, revision: RawSpan())
    }

    /// Whether a document of which the ID and the body are known to match matches with its revision, too.
    func matchesRevision(_ record: borrowing RecordView) throws(StorageError) -> Bool {
        guard readsRevision else { return true }
        return try record.withID { (id) throws(StorageError) in
            try record.withBody { (body) throws(StorageError) in
                try record.withWinner { (revision) throws(StorageError) in
                    try selector.matches(body, id: id, revision: revision)
                }
            }
        }
    }
}
