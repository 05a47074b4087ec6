internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

extension ForeignRevision {
    /// Takes a body that a client sent as one that was made elsewhere. Expiry is no matter of revisions, so that such
    /// ones have no `_exp`.
    ///
    /// - Throws: `doc_validation` (400) for `_exp`; `badRequest` (400) for a history without an ID, or with a gap.
    init(wire body: DocumentBody, _ id: DocumentID) throws {
        guard body.expiration == nil else { throw CouchError.specialMember("_exp") }
        try self.init(id, body)
    }
}
