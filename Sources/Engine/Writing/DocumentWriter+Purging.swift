internal import SetteeDocumentValues
internal import StorageProtocol

extension DocumentWriter {
    /// Removes the document with everything that belongs to it. Returns false if there is none.
    func purge(_ id: DocumentID, isExpiry: Bool = false) throws(StorageError) -> Bool {
        guard let before = try stored(id) else { return false }
        try purge(id, before, isExpiry: isExpiry)
        return true
    }

    private func purge(_ id: DocumentID, _ before: RevisionTree, isExpiry: Bool) throws(StorageError) {
        let sequence = try session.nextSequence()
        for (index, node) in before.nodes.enumerated() where node.sequence != 0 {
            if index > 0 {
                try dropBody(of: node)
            } else if node.hasAttachments {
                try releaseWinner(of: id)
            }
        }
        session.latest = nil
        try session.purge(id, sequence: sequence)
        session.announcePurge(of: id, sequence: sequence, isExpiry: isExpiry)
    }

    /// Removes leaves, together with those of their ancestors that no other leaf needs, without a trace. IDs that are
    /// not those of leaves are ignored. If no leaf is left, the document is removed.
    ///
    /// - Returns: the revisions that were removed.
    func purge(_ id: DocumentID, leaves: [RevisionID]) throws(StorageError) -> [RevisionID] {
        guard let before = try stored(id), let oldWinner = before.winner else { return [] }
        var after = before
        let removed = after.removeLeaves(leaves)
        if removed.isEmpty { return [] }
        guard let winner = after.winner else {
            try purge(id, before, isExpiry: false)
            return removed.map(\.id)
        }
        let sequence = try session.nextSequence()
        for node in removed where node.sequence != 0 && node.id != oldWinner.id { try dropBody(of: node) }
        var change = RecordDraft.BodyChange.unchanged
        if winner.id != oldWinner.id {
            // Only leaves are removed: if another one wins, it is because the winner is gone.
            if oldWinner.hasAttachments { try releaseWinner(of: id) }
            change = .replace(try keptBody(of: winner, in: id))
            try session.removeRevisionBody(at: winner.sequence)
        }
        // The sequence of a document is always that of one of its revisions.
        after.moveWinner(to: sequence)
        try update(id, tree: after, winner: winner.id, body: change, sequence: sequence)
        if let trace = session.trace {
            let gone = Set(removed.map(\.id))
            trace.purged(leaves.filter(gone.contains), of: id)
        }
        session.announcePurge(ofRevisionsOf: id, sequence: sequence, tree: after)
        return removed.map(\.id)
    }
}
