/// A revision on its way from one side to the other.
struct TransferredRevision: Sendable, Equatable {
    var documentID: String
    /// The IDs of the revision and its ancestors, newest first.
    var history: [String]
    var isDeleted: Bool
    /// The body, a JSON object in UTF-8 without `_id`, `_rev`, `_revisions` and `_deleted`. `_attachments` holds stubs,
    /// or `data` where the peer gave it.
    var json: [UInt8]
    /// Whether `json` has attachments.
    var hasAttachments: Bool
    /// Revisions that the receiver has: contents that were there then need not be sent again.
    var knownAncestors: [String] = []
}
