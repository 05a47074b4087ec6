/// Revisions of a document that are to be read.
struct RevisionWish: Sendable, Equatable {
    var documentID: String
    var revisions: [String]
    /// Revisions that the reader has with their bodies: attachments that are as old are named only.
    var knownAncestors: [String]
}

/// One answer to a wish.
enum RevisionAnswer: Sendable {
    case found(TransferredRevision)
    /// The peer does not have it any more, or does not give it.
    case missing(revision: String, PeerError?)
}
