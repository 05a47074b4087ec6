internal import SetteeCouchProtocol
internal import StorageProtocol

/// Errors of queries, under the names that CouchDB has for them.
///
/// Facts: CouchDB 3.4, src/mango/src/mango_error.erl.
extension CouchError {
    static func mango(_ name: String, _ reason: String) -> CouchError { CouchError(400, name, reason) }

    static func invalidBookmark(_ why: String) -> CouchError {
        mango("invalid_bookmark", "Invalid bookmark value: \(why)")
    }

    static var noSortIndex: CouchError {
        mango("no_usable_index", "No index exists for this sort, try indexing by the sort fields.")
    }

    /// - Parameter failure: Why a selector is refused. Its text begins as CouchDB's does.
    init(selector failure: StorageError) {
        let names = [
            ("Invalid operator", "invalid_operator"), ("Unsupported operator", "not_supported"),
            ("Bad argument", "bad_arg"), ("One or more", "invalid_selector"), ("Invalid field", "bad_field"),
        ]
        let name = names.first { failure.message.hasPrefix($0.0) }?.1
        guard failure.code == .badRequest else {
            self.init(failure)
            return
        }
        self.init(400, name ?? "invalid_selector", failure.message)
    }
}
