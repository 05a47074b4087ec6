internal import SetteeDocumentValues
internal import StorageProtocol

extension DocumentWriter {
    /// Adds one of many revisions from elsewhere of one document, at a cost that does not depend on how many there are.
    ///
    /// - Parameter history: the revision and its ancestors, checked.
    /// - Returns: whether the revision was new; nil, with nothing changed, if this way is impossible: validation
    ///   functions and attachments need the bodies of other revisions.
    func insertBranch(
        _ id: DocumentID,
        history: [RevisionID],
        _ body: DocumentBody,
        source: String?
    ) throws(StorageError) -> Bool? {
        guard let own = history.first, body.attachments == nil, session.database.validations.isEmpty,
            try session.growsTree(of: id)
        else { return nil }
        if session.pending?.growing?.contains(own) ?? false { return false }
        session.trace?.note(history) { session.pending?.growing?.contains($0) ?? false }
        let incoming = IncomingRevision(
            documentID: id,
            revisionID: own,
            parentID: history.dropFirst().first,
            isDeleted: body.isDeleted,
            json: body.canonical,
            attachments: [],
            origin: .foreign(source: source)
        )
        return try session.grow(by: incoming, history: history) ? true : nil
    }
}
