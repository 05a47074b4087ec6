internal import SetteeDocumentValues
internal import StorageProtocol

/// The record that the store has not been told of, and the bodies of its document.
extension WriteSession {
    /// Replaces a record, in the store as late as somebody looks at it, another record is changed, or the transaction
    /// ends.
    func update(_ update: PendingUpdate) throws(StorageError) {
        guard let pending, pending.documentID == update.documentID else {
            try settle()
            self.pending = update
            return
        }
        try keep(pending.follow(with: update), of: pending)
    }

    /// Stores a body that has been the winner's and is not any more.
    private func keep(_ old: PendingUpdate.OldBody?, of update: PendingUpdate) throws(StorageError) {
        guard let old else { return }
        try unsafe direct.putRevisionBody(old.json.span.bytes, at: old.sequence, owner: update.documentID)
    }

    // MARK: - A tree that grows

    /// Whether the document's tree is, from now on, one that many revisions are added to.
    func growsTree(of id: DocumentID) throws(StorageError) -> Bool {
        guard let pending, pending.documentID == id else { return false }
        if pending.growing != nil { return true }
        guard pending.isWorthGrowing, let growing = GrowingRevisionTree(pending.tree, depth: try maximumDepth()) else {
            return false
        }
        // Nobody else holds the nodes, which would else be copied.
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

    /// Adds a revision from elsewhere, without attachments, to the tree that grows. False where that cannot be done,
    /// and then nothing has changed.
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

    /// Tells the store of the record that it has not been told of.
    ///
    /// - Throws: what the store throws. The transaction can then only be rolled back: the call that changed the record
    ///   has returned.
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

    /// The body of a document's winner; nil where there is no such document.
    func winnerBody(of id: DocumentID) throws(StorageError) -> [UInt8]? {
        if let pending, pending.documentID == id, let body = pending.newBody { return body }
        var json: [UInt8]?
        _ = try direct.record(id, fields: .body) { (record) throws(StorageError) in json = record.bodyCopy() }
        return json
    }

    /// The body of a revision that is not the winner; nil where it is not kept.
    func revisionBody(at sequence: UInt64) throws(StorageError) -> [UInt8]? {
        var json: [UInt8]?
        _ = try transaction(forBodyAt: sequence).revisionBody(at: sequence) { (bytes) throws(StorageError) in
            json = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        }
        return json
    }

    /// Drops the body of a revision that is not the winner, where it is kept.
    func removeRevisionBody(at sequence: UInt64) throws(StorageError) {
        try transaction(forBodyAt: sequence).removeRevisionBody(at: sequence)
    }

    private func transaction(forBodyAt sequence: UInt64) throws(StorageError) -> any WriteTransaction {
        try pending?.keptSequence == sequence ? transaction : direct
    }
}
