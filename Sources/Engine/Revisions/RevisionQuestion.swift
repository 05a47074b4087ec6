package import StorageProtocol

/// Revisions of one document that a peer offers, to be asked whether they are missing here.
package struct RevisionQuestion: Sendable {
    package var documentID: DocumentID
    package var revisions: [RevisionID]

    package init(documentID: DocumentID, revisions: [RevisionID]) {
        self.documentID = documentID
        self.revisions = revisions
    }
}
