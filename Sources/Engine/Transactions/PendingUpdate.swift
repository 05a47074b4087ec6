internal import SetteeDocumentValues
internal import StorageProtocol

/// The update of a record that the store does not have yet. The next revision is often of the same document and
/// replaces it, so that several revisions of one document are written as one tree.
final class PendingUpdate {
    let documentID: DocumentID
    var tree: RevisionTree
    var winner: RevisionID
    var sequence: UInt64
    var body: RecordDraft.BodyChange
    /// The tree, in place of `tree`, while many revisions are added to it.
    var growing: GrowingRevisionTree?
    /// How many updates came one after another, each with the whole tree.
    private var followed = 0

    /// A body that was the winner's between two updates and is kept, with the sequence of its revision.
    typealias OldBody = (json: [UInt8], sequence: UInt64)

    init(
        documentID: DocumentID,
        tree: RevisionTree,
        winner: RevisionID,
        sequence: UInt64,
        body: RecordDraft.BodyChange
    ) {
        self.documentID = documentID
        self.tree = tree
        self.winner = winner
        self.sequence = sequence
        self.body = body
    }

    /// The body of the winner if it differs from the stored one; nil if the stored one is right.
    var newBody: [UInt8]? { body.json }

    /// The sequence under which the store will keep the body that is now with the record.
    var keptSequence: UInt64? { body.keptSequence }

    /// Whether there were so many updates that preparing the tree for growing costs less than they did.
    var isWorthGrowing: Bool { tree.count >= 32 && followed >= tree.count / 16 }

    /// Combines two updates into this one.
    func follow(with next: PendingUpdate) -> OldBody? {
        tree = next.tree
        winner = next.winner
        sequence = next.sequence
        followed += 1
        return change(next.body)
    }

    /// Combines two changes of the body into one.
    func change(_ next: RecordDraft.BodyChange) -> OldBody? {
        guard let json = next.json else { return nil }
        guard let before = body.json else {
            body = next
            return nil
        }
        if let first = body.keptSequence {
            body = .replaceKeepingOld(json, oldSequence: first)
        } else {
            body = .replace(json)
        }
        guard let sequence = next.keptSequence else { return nil }
        return (before, sequence)
    }

    func stopGrowing(with tree: RevisionTree) {
        growing = nil
        followed = 0
        self.tree = tree
    }

    /// What is written to the store. Complexity: O(revisions).
    var draft: RecordDraft {
        RecordDraft(
            documentID: documentID,
            flags: tree.documentFlags,
            sequence: sequence,
            winner: winner,
            tree: tree.storedBytes,
            body: body
        )
    }
}

extension RecordDraft.BodyChange {
    fileprivate var json: [UInt8]? {
        switch self {
        case .unchanged: nil
        case .replace(let json), .replaceKeepingOld(let json, _): json
        }
    }

    fileprivate var keptSequence: UInt64? {
        guard case .replaceKeepingOld(_, let sequence) = self else { return nil }
        return sequence
    }
}
