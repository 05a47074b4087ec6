package import SetteeDocumentValues
internal import StorageProtocol

extension WriteSession {
    /// Notes a stored revision for the observers of the database, which are notified after the commit.
    ///
    /// - Parameter tree: The document's tree with the revision in it.
    package func announce(_ incoming: IncomingRevision, sequence: UInt64, tree: RevisionTree) {
        trace?.saved(incoming)
        let feed = database.changeFeed
        guard feed.isObserved, let winner = tree.winner else { return }
        announceToObservers(incoming, sequence: sequence, winner: winner, isConflicted: tree.isConflicted)
    }

    /// Like `announce(_:sequence:tree:)`, with the relevant values of the tree.
    func announce(
        _ incoming: IncomingRevision,
        sequence: UInt64,
        winner: RevisionTree.Node,
        isConflicted: Bool
    ) {
        trace?.saved(incoming)
        announceToObservers(incoming, sequence: sequence, winner: winner, isConflicted: isConflicted)
    }

    private func announceToObservers(
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

    /// Notes that a document was removed without a trace.
    func announcePurge(of id: DocumentID, sequence: UInt64, isExpiry: Bool) {
        trace?.purged(id)
        let feed = database.changeFeed
        guard feed.isObserved else { return }
        announced.append(DocumentChange(gone: id, sequence: sequence, isExpiry: isExpiry), limit: feed.largestLimit)
    }

    /// Notes that revisions of a document were removed without a trace, while others are left.
    ///
    /// - Parameter tree: The document's tree without them.
    func announcePurge(ofRevisionsOf id: DocumentID, sequence: UInt64, tree: RevisionTree) {
        let feed = database.changeFeed
        guard feed.isObserved else { return }
        announced.append(DocumentChange(reduced: id, sequence: sequence, tree: tree), limit: feed.largestLimit)
    }
}
