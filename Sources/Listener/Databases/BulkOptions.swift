internal import SetteeCouchProtocol
internal import SetteeDocumentValues

/// What a request of `_bulk_docs` says beside its documents.
struct BulkOptions {
    /// Whether the documents are edits, and not revisions that were made elsewhere; nil if the request does not say, or
    /// not yet.
    let newEdits: Bool?

    /// - Throws: `query_parse_error` (400) for options that are no flags; 417 for `all_or_nothing`.
    init(_ members: JSONObject) throws(CouchError) {
        let options = RequestOptions(query: [], body: members)
        newEdits = try options.flag("new_edits")
        // CouchDB's old option: all of them or none. Conflicts then become branches, which nobody wants.
        if newEdits != false, try options.flag("all_or_nothing") == true {
            throw CouchError(417, "not_implemented", "all_or_nothing is not supported.")
        }
    }
}
