package import SetteeDocumentValues
package import StorageProtocol

/// Saves revisions. Everything that is decided once, above the engines, happens here.
package struct DocumentWriter {
    let session: WriteSession
    var transaction: any WriteTransaction { get throws(StorageError) { try session.transaction } }

    package init(_ session: WriteSession) { self.session = session }

    /// Returns the tree of the document before a change; nil if there is no such document.
    package func stored(_ id: DocumentID) throws(StorageError) -> RevisionTree? {
        session.endGrowing(of: id)
        if let latest = session.latest, latest.id == id { return latest.tree }
        var found: RevisionTree?
        _ = try transaction.record(id, fields: .tree) { (record) throws(StorageError) in
            found = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
        }
        return found
    }

    // MARK: - Own revisions

    /// Adds a revision on top of `parent`. Without one the document must be new or deleted.
    ///
    /// - Parameters:
    ///   - allowConflict: accepts any known revision as the parent, and begins another line if none is given. If the
    ///     tree already has this very revision, it is returned.
    ///   - race: notified if the parent cannot be followed.
    package func save(
        _ id: DocumentID,
        _ body: DocumentBody,
        parent: RevisionID?,
        allowConflict: Bool = false,
        race: SaveRace? = nil
    ) throws(StorageError) -> SavedRevision {
        let before = try stored(id)
        let parent = try checkedParent(parent, before: before, allowConflict: allowConflict, race)
        let admitted = try AttachmentAdmission(session).admit(
            body,
            generation: (parent?.generation ?? 0) + 1,
            of: id,
            tree: before,
            parent: parent,
            origin: .local
        )
        let incoming = IncomingRevision(
            documentID: id,
            revisionID: try RevisionDigest.revisionID(
                body: unsafe admitted.json.span.bytes,
                parent: parent,
                isDeleted: body.isDeleted
            ),
            parentID: parent,
            isDeleted: body.isDeleted,
            json: admitted.json,
            attachments: admitted.attachments,
            origin: .local
        )
        guard let before else { return try create(incoming) }
        if let position = before.index(of: incoming.revisionID) {
            guard allowConflict else {
                throw StorageError(.exists, "Another branch holds this very revision. Change something else with it.")
            }
            return try revision(id, before, at: position)
        }
        try validate(incoming, before: before)
        var after = before
        let sequence = try session.followingSequence()
        try after.insert(
            incoming.revisionID,
            parent: parent,
            deleted: incoming.isDeleted,
            hasAttachments: !incoming.attachments.isEmpty,
            sequence: sequence,
            bodyChecksum: incoming.bodyChecksum
        )
        try store(incoming, before: before, after: &after)
        return saved(incoming, sequence: sequence)
    }

    /// Returns the parent of a new revision.
    private func checkedParent(
        _ parent: RevisionID?,
        before: RevisionTree?,
        allowConflict: Bool,
        _ race: SaveRace?
    ) throws(StorageError) -> RevisionID? {
        guard let before else {
            guard parent == nil else {
                race?.cannotFollow(parent)
                throw StorageError(.notFound, "There is no document of this ID, so it has no revision to continue.")
            }
            return nil
        }
        guard let parent else {
            if before.isDeleted { return before.winner?.id }
            guard allowConflict else {
                race?.cannotFollow(nil)
                throw StorageError(
                    .conflict,
                    "The document exists. Give the current revision, as `_rev` or parent."
                )
            }
            return nil
        }
        guard let position = before.index(of: parent), allowConflict || before.isLeaf(position) else {
            race?.cannotFollow(parent)
            throw StorageError(
                .conflict,
                "The revision given is not current. Read the document again and repeat the change."
            )
        }
        return parent
    }

    /// Adds a document without a record, with its first revision, whose ID the caller has computed.
    @discardableResult
    package func create(_ incoming: IncomingRevision) throws(StorageError) -> SavedRevision {
        try validate(incoming, before: nil)
        let sequence = try session.nextSequence()
        var tree = RevisionTree()
        try tree.insert(
            incoming.revisionID,
            parent: nil,
            deleted: incoming.isDeleted,
            hasAttachments: !incoming.attachments.isEmpty,
            sequence: sequence,
            bodyChecksum: incoming.bodyChecksum
        )
        try insert(incoming, tree: tree, sequence: sequence)
        return saved(incoming, sequence: sequence)
    }

    private func insert(
        _ incoming: IncomingRevision,
        tree: RevisionTree,
        sequence: UInt64
    ) throws(StorageError) {
        try AttachmentReferences(session).retain(incoming.attachments)
        try session.insert(
            RecordDraft(
                documentID: incoming.documentID,
                flags: tree.documentFlags,
                sequence: sequence,
                winner: incoming.revisionID,
                tree: tree.storedBytes,
                body: .replace(incoming.json)
            )
        )
        session.latest = (incoming.documentID, tree)
        session.announce(incoming, sequence: sequence, tree: tree)
    }

    private func saved(_ incoming: IncomingRevision, sequence: UInt64) -> SavedRevision {
        SavedRevision(
            in: session.database,
            documentID: incoming.documentID,
            id: incoming.revisionID,
            sequence: sequence,
            isDeleted: incoming.isDeleted,
            json: incoming.json
        )
    }

    /// Adds a tombstone. If the document, or the branch in question, is already deleted, the existing tombstone is
    /// returned.
    func delete(_ id: DocumentID, parent: RevisionID?) throws(StorageError) -> SavedRevision {
        guard let before = try stored(id), let winner = before.winner else {
            throw .noDocument
        }
        let known = parent ?? winner.id
        guard let position = before.index(of: known) else { throw DocumentWriter.unknownRevision }
        // In a live document, only a branch that ends with the tombstone counts as deleted.
        func isAnswer(_ index: Int) -> Bool { before.isDeleted || before.isLeaf(index) }
        if before.nodes[position].isDeleted, isAnswer(position) {
            return try revision(id, before, at: position)
        }
        if before.isDeleted || !before.isLeaf(position) {
            // The tombstone that this call would add may exist already.
            let empty = DocumentBody.tombstone.canonical
            let repeated = try RevisionDigest.revisionID(
                body: unsafe empty.span.bytes,
                parent: known,
                isDeleted: true
            )
            if let same = before.index(of: repeated), isAnswer(same) {
                return try revision(id, before, at: same)
            }
        }
        return try save(id, .tombstone, parent: known)
    }

    /// Returns a stored revision; its body is `{}` if it is gone.
    private func revision(
        _ id: DocumentID,
        _ tree: RevisionTree,
        at position: Int
    ) throws(StorageError) -> SavedRevision {
        let stored = StoredDocument(id, tree: tree, of: session.database, in: try transaction)
        return stored.revision(at: position, json: try stored.json(at: position) ?? Array("{}".utf8))
    }

    /// Returns the live leaves, the winner first.
    ///
    /// - Throws: `notFound` (404) if there is no such document, `badID` (494) for a local one.
    func liveLeaves(of id: DocumentID) throws(StorageError) -> [SavedRevision] {
        guard !id.isLocal else { throw StorageError(.badID, "Local documents have no branches.") }
        guard let stored = try StoredDocument(id, of: session.database, in: transaction) else {
            throw .noDocument
        }
        return try stored.leaves(onlyLive: true)
    }

    static var unknownRevision: StorageError {
        StorageError(.conflict, "The revision given is not one of the document's. Read the document again.")
    }

    // MARK: - Foreign revisions

    /// Adds a revision made elsewhere with its history, newest first. Returns false if it is already known.
    package func insert(
        _ id: DocumentID,
        history: [RevisionID],
        _ body: DocumentBody,
        source: String? = nil
    ) throws(StorageError) -> Bool {
        let own = try RevisionTree.newest(of: history)
        guard own.generation <= RevisionID.maximumForeignGeneration else {
            throw StorageError(
                .badRequest,
                "The revision's generation is above \(RevisionID.maximumForeignGeneration), so that nothing could "
                    + "follow it. "
                    + "Insert it with a lower one."
            )
        }
        let parent = history.dropFirst().first
        if let isNew = try insertBranch(id, history: history, body, source: source) { return isNew }
        let before = try stored(id)
        if let before, before.index(of: own) != nil { return false }
        session.trace?.note(history) { before?.index(of: $0) != nil }
        let admitted = try AttachmentAdmission(session).admit(
            body,
            generation: own.generation,
            of: id,
            tree: before,
            // The parent itself may never have been here.
            parent: history.dropFirst().first { before?.index(of: $0) != nil },
            origin: .foreign(source: source)
        )
        let incoming = IncomingRevision(
            documentID: id,
            revisionID: own,
            parentID: parent,
            isDeleted: body.isDeleted,
            json: admitted.json,
            attachments: admitted.attachments,
            origin: .foreign(source: source)
        )
        var after = before ?? RevisionTree()
        try after.insert(
            history: history,
            deleted: incoming.isDeleted,
            hasAttachments: !incoming.attachments.isEmpty,
            sequence: try session.followingSequence(),
            bodyChecksum: incoming.bodyChecksum
        )
        try validate(incoming, before: before, history: history)
        if let before {
            try store(incoming, before: before, after: &after)
        } else {
            after.prune(depth: try session.maximumDepth())
            try insert(incoming, tree: after, sequence: try session.nextSequence())
        }
        return true
    }

    // MARK: - Storing a changed tree

    /// Prunes and stores `after`, which is `before` plus one revision with a body. The body of the winner is kept with
    /// the record, those of the others under their own sequences: when the winner changes, two bodies move.
    private func store(
        _ incoming: IncomingRevision,
        before: RevisionTree,
        after: inout RevisionTree
    ) throws(StorageError) {
        let id = incoming.documentID
        let pruned = after.prune(depth: try session.maximumDepth())
        guard let oldWinner = before.winner, let winner = after.winner else {
            throw .emptyTree(id)
        }
        let sequence = try session.nextSequence()
        try AttachmentReferences(session).retain(incoming.attachments)

        for node in pruned where node.sequence != 0 && node.id != oldWinner.id { try dropBody(of: node) }
        let keepsOld = after.index(of: oldWinner.id) != nil
        let change: RecordDraft.BodyChange
        if winner.id == oldWinner.id {
            change = .unchanged
        } else {
            if !keepsOld, oldWinner.hasAttachments { try releaseWinner(of: id) }
            if winner.id == incoming.revisionID {
                change =
                    keepsOld
                    ? .replaceKeepingOld(incoming.json, oldSequence: oldWinner.sequence) : .replace(incoming.json)
            } else {
                // The new revision took the place of the old winner, but an older branch wins now.
                let risen = try keptBody(of: winner, in: id)
                change = keepsOld ? .replaceKeepingOld(risen, oldSequence: oldWinner.sequence) : .replace(risen)
                try session.removeRevisionBody(at: winner.sequence)
            }
        }
        if winner.id != incoming.revisionID {
            try unsafe session.direct.putRevisionBody(incoming.json.span.bytes, at: sequence, owner: id)
        }
        try update(id, tree: after, winner: winner.id, body: change, sequence: sequence)
        session.announce(incoming, sequence: sequence, tree: after)
    }

    /// Replaces the record of a document.
    func update(
        _ id: DocumentID,
        tree: RevisionTree,
        winner: RevisionID,
        body: RecordDraft.BodyChange,
        sequence: UInt64
    ) throws(StorageError) {
        session.latest = nil
        try session.update(
            PendingUpdate(documentID: id, tree: tree, winner: winner, sequence: sequence, body: body)
        )
        session.latest = (id, tree)
    }

    /// Returns the body of a leaf that is not the winner, which is always kept.
    func keptBody(of node: RevisionTree.Node, in id: DocumentID) throws(StorageError) -> [UInt8] {
        guard let body = try session.revisionBody(at: node.sequence) else {
            throw .corrupt("The body of a current revision of document '\(id)' is missing")
        }
        return body
    }

    /// Drops the body of a revision that is not the winner, if it is still kept.
    func dropBody(of node: RevisionTree.Node) throws(StorageError) {
        if node.hasAttachments {
            if let body = try session.revisionBody(at: node.sequence) {
                try unsafe AttachmentReferences(session).release(attachmentsOf: body.span.bytes)
            }
        }
        try session.removeRevisionBody(at: node.sequence)
    }

    /// Releases the attachments of the winner, whose body is dropped.
    func releaseWinner(of id: DocumentID) throws(StorageError) {
        if let body = try session.winnerBody(of: id) {
            try unsafe AttachmentReferences(session).release(attachmentsOf: body.span.bytes)
        }
    }
}
