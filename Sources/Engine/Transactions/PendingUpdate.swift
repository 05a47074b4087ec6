internal import SetteeDocumentValues
internal import StorageProtocol

/// The update of a record that the store has not been told of: the next revision is often of the same document, and
/// takes the place of this one. So many revisions of one document are written as one tree.
final class PendingUpdate {
    let documentID: DocumentID
    var tree: RevisionTree
    var winner: RevisionID
    var sequence: UInt64
    var body: RecordDraft.BodyChange
    /// The tree, in the place of `tree`, while many revisions are added to it.
    var growing: GrowingRevisionTree?
    /// How many updates came one after another, each of the whole tree.
    private var followed = 0

    /// A body that was the winner's between two updates and is kept, with its revision's sequence.
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

    /// The winner's body where the store has another one; nil where its own is right.
    var newBody: [UInt8]? { body.json }

    /// The sequence under which the store is going to keep the body that it has with the record.
    var keptSequence: UInt64? { body.keptSequence }

    /// Whether so many updates have come that making the tree ready for growing costs less than they did.
    var isWorthGrowing: Bool { tree.count >= 32 && followed >= tree.count / 16 }

    /// Makes this one update of two.
    func follow(with next: PendingUpdate) -> OldBody? {
        tree = next.tree
        winner = next.winner
        sequence = next.sequence
        followed += 1
        return change(next.body)
    }

    /// Makes one change of the body of two.
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

    /// What the store is told. Complexity: O(revisions).
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
