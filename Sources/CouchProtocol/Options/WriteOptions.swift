public import StorageProtocol

/// The options of a request that writes documents or attachments.
///
/// Facts: CouchDB 3, `parse_doc_query` and `db_doc_req` in src/chttpd/src/chttpd_db.erl.
public struct WriteOptions: Sendable {
    /// The parent of the new revision.
    public var revision: RevisionID?
    /// False: the revisions exist elsewhere, and keep their IDs.
    public var makesRevisions = true
    /// `batch=ok`: the answer (202) may come before the document is stored.
    public var isBatched = false
    /// The number of copies that CouchDB would wait for. One database has one copy, so that it means nothing here.
    public var copies: Int?

    /// The defaults.
    public init() {}

    /// - Throws: `query_parse_error` or `bad_request` (400) for a malformed option, in CouchDB's words.
    public init(_ options: RequestOptions) throws(CouchError) {
        revision = try options.revision("rev")
        makesRevisions = try options.flag("new_edits") ?? true
        isBatched = try options.text("batch") == "ok"
        copies = try options.count("w")
    }

    /// Takes the parent from an If-Match header, too.
    ///
    /// `*` names no revision, and changes nothing: what it asks for, that the document exists, is for the caller to
    /// see to.
    ///
    /// - Throws: `bad_request` (400) if the header and `rev` name different revisions, or the header names no revision,
    ///   several of them, or a weak one.
    public mutating func require(ifMatch header: String?) throws(CouchError) {
        guard let header else { return }
        switch try EntityTagCondition(header: header) {
        case .any: return
        case .tags(let tags):
            guard tags.count == 1, !tags[0].isWeak else { throw .invalidRevision }
            let named = try RevisionID(wire: tags[0].text)
            guard revision == nil || revision == named else { throw .differentRevisions }
            revision = named
        }
    }
}
