public import StorageProtocol

/// The options of a request for a document or attachment.
///
/// Facts: CouchDB 3, `parse_doc_query` in src/chttpd/src/chttpd_db.erl; `show_exp` is Sync Gateway's. CouchDB ignores
/// flags other than `true`; here, they are errors.
public struct DocumentOptions: Sendable {
    /// The revision; nil for the winner.
    public var revision: RevisionID?
    /// Asks for many revisions at once.
    public var openRevisions: OpenRevisions?
    /// A leaf that descends from a revision may be sent in its place.
    public var isLatest = false
    /// The history, as `_revisions`.
    public var includesHistory = false
    /// The history with what is known of each revision, as `_revs_info`. Set by `meta`, too.
    public var includesHistoryInfo = false
    /// The other leaves, as `_conflicts`. Set by `meta`, too.
    public var includesConflicts = false
    /// The deleted leaves, as `_deleted_conflicts`. Set by `meta`, too.
    public var includesDeletedConflicts = false
    /// The sequence, as `_local_seq`.
    public var includesSequence = false
    /// The contents of attachments.
    public var includesAttachments = false
    /// Only contents that are younger than the newest of these revisions, which the client has.
    public var attachmentsSince: [RevisionID]?
    /// How attachments are encoded.
    public var includesEncodingInfo = false
    /// The time of expiry, as `_exp`.
    public var includesExpiry = false

    /// The defaults.
    public init() {}

    /// - Throws: `query_parse_error` or `bad_request` (400) for a malformed option, in CouchDB's words.
    public init(_ options: RequestOptions) throws(CouchError) {
        revision = try options.revision("rev")
        openRevisions = try DocumentOptions.openRevisions(options)
        isLatest = try options.flag("latest") ?? false
        includesHistory = try options.flag("revs") ?? false
        let isMeta = try options.flag("meta") ?? false
        includesHistoryInfo = try options.flag("revs_info") ?? false || isMeta
        includesConflicts = try options.flag("conflicts") ?? false || isMeta
        includesDeletedConflicts = try options.flag("deleted_conflicts") ?? false || isMeta
        includesSequence = try options.flag("local_seq") ?? false
        includesAttachments = try options.flag("attachments") ?? false
        attachmentsSince = try options.revisions("atts_since")
        includesEncodingInfo = try options.flag("att_encoding_info") ?? false
        includesExpiry = try options.flag("show_exp") ?? false
    }

    private static func openRevisions(_ options: RequestOptions) throws(CouchError) -> OpenRevisions? {
        if let text = try? options.text("open_revs"), text == "all" { return .all }
        return try options.revisions("open_revs").map { .list($0) }
    }

    /// Whether the answer has more than the document itself, so that its revision alone is no entity tag for it.
    public var includesMetadata: Bool {
        includesHistory || includesHistoryInfo || includesConflicts || includesDeletedConflicts || includesSequence
            || includesAttachments || attachmentsSince != nil || includesEncodingInfo || includesExpiry
            || openRevisions != nil
    }
}
