internal import SetteeDocumentValues
internal import StorageProtocol

extension WriteSession {
    /// Notes a stored revision for those who observe the database, who are told after the commit.
    ///
    /// - Parameter tree: the document's tree with the revision in it.
    func announce(_ incoming: IncomingRevision, sequence: UInt64, tree: RevisionTree) {
        let feed = database.changeFeed
        guard feed.isObserved, let winner = tree.winner else { return }
        announce(incoming, sequence: sequence, winner: winner, isConflicted: tree.isConflicted)
    }

    /// As `announce(_:sequence:tree:)`, with what counts of the tree.
    func announce(
        _ incoming: IncomingRevision,
        sequence: UInt64,
        winner: RevisionTree.Node,
        isConflicted: Bool
    ) {
        let feed = database.changeFeed
        guard feed.isObserved else { return }
        announced.append(
            DocumentChange(incoming, sequence: sequence, winner: winner, isConflicted: isConflicted),
            limit: feed.largestLimit
        )
    }

    /// Notes that a document is gone without a trace.
    func announcePurge(of id: DocumentID, sequence: UInt64, isExpiry: Bool) {
        let feed = database.changeFeed
        guard feed.isObserved else { return }
        announced.append(DocumentChange(gone: id, sequence: sequence, isExpiry: isExpiry), limit: feed.largestLimit)
    }

    /// Notes that revisions of a document are gone without a trace, and others stay.
    ///
    /// - Parameter tree: the document's tree without them.
    func announcePurge(ofRevisionsOf id: DocumentID, sequence: UInt64, tree: RevisionTree) {
        let feed = database.changeFeed
        guard feed.isObserved else { return }
        announced.append(DocumentChange(reduced: id, sequence: sequence, tree: tree), limit: feed.largestLimit)
    }
}
