internal import SetteeDocumentValues
internal import StorageProtocol

/// Finds the revision with which a new one is compared.
struct PreviousRevision {
    let writer: DocumentWriter
    let documentID: DocumentID
    /// The current tree of the document; nil if it is new.
    let before: RevisionTree?
    /// The new revision's ancestors, the parent first.
    let ancestors: [RevisionID]

    /// Returns the nearest ancestor whose body is kept, else the winner. Nil if no ancestor is known: such a branch has
    /// nothing in common with the document, and will be a conflict.
    func read() throws(StorageError) -> SavedRevision? {
        guard let before, let winner = before.winner else { return nil }
        var isRelated = false
        for ancestor in ancestors {
            guard let position = before.index(of: ancestor) else { continue }
            isRelated = true
            if let found = try body(of: before.nodes[position], isWinner: ancestor == winner.id) { return found }
        }
        return isRelated ? try body(of: winner, isWinner: true) : nil
    }

    private func body(of node: RevisionTree.Node, isWinner: Bool) throws(StorageError) -> SavedRevision? {
        guard isWinner || node.sequence != 0 else { return nil }
        let session = writer.session
        let json = isWinner ? try session.winnerBody(of: documentID) : try session.revisionBody(at: node.sequence)
        guard let json else { return nil }
        return SavedRevision(
            in: session.database,
            documentID: documentID,
            id: node.id,
            sequence: node.sequence,
            isDeleted: node.isDeleted,
            json: json
        )
    }
}
