internal import SetteeDocumentValues
internal import StorageProtocol

/// The record that the store does not have yet, and the bodies of its document.
extension WriteSession {
    /// Replaces a record. The store gets it as late as possible: when the record is read, when another record is
    /// changed, or when the transaction ends.
    func update(_ update: PendingUpdate) throws(StorageError) {
        guard let pending, pending.documentID == update.documentID else {
            try settle()
            self.pending = update
            return
        }
        try keep(pending.follow(with: update), of: pending)
    }

    /// Stores a body that was the winner's and no longer is.
    private func keep(_ old: PendingUpdate.OldBody?, of update: PendingUpdate) throws(StorageError) {
        guard let old else { return }
        try unsafe direct.putRevisionBody(old.json.span.bytes, at: old.sequence, owner: update.documentID)
    }

    // MARK: - A tree that grows

    /// Whether the tree of the document is, from now on, one that many revisions are added to.
    func growsTree(of id: DocumentID) throws(StorageError) -> Bool {
        guard let pending, pending.documentID == id else { return false }
        if pending.growing != nil { return true }
        guard pending.isWorthGrowing, let growing = GrowingRevisionTree(pending.tree, depth: try maximumDepth()) else {
            return false
        }
        // No other reference to the nodes must exist, or they would be copied.
        latest = nil
        pending.tree = RevisionTree()
        pending.growing = growing
        return true
    }

    /// Ends the growing of the document's tree.
    func endGrowing(of id: DocumentID) {
        guard let pending, pending.documentID == id, let tree = pending.growing?.tree else { return }
        pending.stopGrowing(with: tree)
        latest = (id, tree)
    }

    /// Adds a revision from elsewhere, without attachments, to the growing tree. Returns false, with nothing changed,
    /// if that is impossible.
    func grow(by incoming: IncomingRevision, history: [RevisionID]) throws(StorageError) -> Bool {
        guard let pending, let before = pending.growing?.winner else { return false }
        let next = try followingSequence()
        let isInserted = pending.growing?.insert(
            history: history,
            deleted: incoming.isDeleted,
            sequence: next,
            bodyChecksum: incoming.bodyChecksum
        )
        guard isInserted == true, let winner = pending.growing?.winner else { return false }
        let sequence = try nextSequence()
        pending.sequence = sequence
        if winner.id == incoming.revisionID {
            pending.winner = winner.id
            try keep(pending.change(.replaceKeepingOld(incoming.json, oldSequence: before.sequence)), of: pending)
        } else {
            try unsafe direct.putRevisionBody(incoming.json.span.bytes, at: sequence, owner: pending.documentID)
        }
        announce(
            incoming,
            sequence: sequence,
            winner: winner,
            isConflicted: pending.growing?.isConflicted ?? false
        )
        return true
    }

    // MARK: - In the store

    /// Writes the pending record to the store.
    ///
    /// - Throws: what the store throws. The transaction can then only be rolled back, because the call that changed the
    ///   record has already returned.
    func settle() throws(StorageError) {
        guard let update = pending else {
            _ = try direct
            return
        }
        endGrowing(of: update.documentID)
        pending = nil
        do throws(StorageError) {
            try direct.update(update.draft)
        } catch {
            doom(by: error)
            throw error
        }
    }

    /// Returns the body of a document's winner; nil if there is no such document.
    func winnerBody(of id: DocumentID) throws(StorageError) -> [UInt8]? {
        if let pending, pending.documentID == id, let body = pending.newBody { return body }
        var json: [UInt8]?
        _ = try direct.record(id, fields: .body) { (record) throws(StorageError) in json = record.bodyCopy() }
        return json
    }

    /// Returns the body of a revision that is not the winner; nil if it is not kept.
    func revisionBody(at sequence: UInt64) throws(StorageError) -> [UInt8]? {
        var json: [UInt8]?
        _ = try transaction(forBodyAt: sequence).revisionBody(at: sequence) { (bytes) throws(StorageError) in
            json = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        }
        return json
    }

    /// Drops the body of a revision that is not the winner, if it is kept.
    func removeRevisionBody(at sequence: UInt64) throws(StorageError) {
        try transaction(forBodyAt: sequence).removeRevisionBody(at: sequence)
    }

    private func transaction(forBodyAt sequence: UInt64) throws(StorageError) -> any WriteTransaction {
        try pending?.keptSequence == sequence ? transaction : direct
    }
}
