internal import StorageProtocol

/// Saves revisions: everything that is decided once, above the engines, happens here.
struct DocumentWriter {
    /// How many revisions of its own line each leaf keeps.
    static let maximumDepth = 20

    let session: WriteSession
    var transaction: any WriteTransaction { session.transaction }

    init(_ session: WriteSession) { self.session = session }

    /// What is stored of a document before a change.
    struct Stored {
        var handle: RecordHandle
        var flags: DocumentFlags
        var tree: RevisionTree
    }

    func stored(_ id: DocumentID) throws(StorageError) -> Stored? {
        var found: Stored?
        _ = try transaction.record(id, fields: .tree) { (record) throws(StorageError) in
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(decoding: bytes) }
            found = Stored(handle: record.handle, flags: record.flags, tree: tree)
        }
        return found
    }

    // MARK: - Own revisions

    /// Adds a revision on top of `parent`; without one the document must be new or deleted.
    func save(_ id: DocumentID, body: [UInt8], parent: RevisionID?, isDeleted: Bool) throws(StorageError) -> Revision {
        guard let before = try stored(id) else {
            guard parent == nil else {
                throw StorageError(.notFound, "There is no document of this ID, so it has no revision to continue.")
            }
            let first = try RevisionDigest.revisionID(body: unsafe body.span.bytes, parent: nil, isDeleted: isDeleted)
            return try create(id, first: first, body: body, isDeleted: isDeleted)
        }
        let tree = before.tree
        var parent = parent
        if parent == nil {
            guard tree.isDeleted else {
                throw StorageError(.conflict, "The document exists. Give the current revision, as `_rev` or parent.")
            }
            parent = tree.winner?.id
        }
        guard let parent, let position = tree.index(of: parent), tree.isLeaf(position) else {
            throw StorageError(
                .conflict,
                "The revision given is not current. Read the document again and repeat the change."
            )
        }
        let revisionID = try RevisionDigest.revisionID(
            body: unsafe body.span.bytes,
            parent: parent,
            isDeleted: isDeleted
        )
        var after = tree
        let sequence = try session.counters().lastSequence + 1
        let outcome = try after.insert(
            revisionID,
            parent: parent,
            deleted: isDeleted,
            hasAttachments: false,
            sequence: sequence
        )
        guard outcome == .inserted else {
            throw StorageError(.exists, "Another branch holds this very revision. Change something else with it.")
        }
        try store(id, before: before, after: &after, newRevision: revisionID, body: body)
        return Revision(documentID: id, id: revisionID, sequence: sequence, isDeleted: isDeleted, json: body)
    }

    /// Adds a document that has no record, with its first revision, whose ID the caller has made.
    @discardableResult
    func create(
        _ id: DocumentID,
        first revisionID: RevisionID,
        body: [UInt8],
        isDeleted: Bool
    ) throws(StorageError) -> Revision {
        let (sequence, live) = try session.nextSequence(liveChange: isDeleted ? 0 : 1)
        var tree = RevisionTree()
        _ = try tree.insert(revisionID, parent: nil, deleted: isDeleted, hasAttachments: false, sequence: sequence)
        try insert(id, tree: tree, winner: revisionID, sequence: sequence, body: body, live: live)
        return Revision(documentID: id, id: revisionID, sequence: sequence, isDeleted: isDeleted, json: body)
    }

    private func insert(
        _ id: DocumentID,
        tree: RevisionTree,
        winner: RevisionID,
        sequence: UInt64,
        body: [UInt8],
        live: UInt64
    ) throws(StorageError) {
        var encoded: [UInt8] = []
        tree.encode(into: &encoded)
        _ = try transaction.insert(
            RecordDraft(
                documentID: id,
                flags: tree.documentFlags,
                sequence: sequence,
                winner: winner,
                tree: encoded,
                body: .replace(body),
                liveCount: live
            )
        )
    }

    /// Adds a tombstone. Where the document is deleted already, the tombstone that is there is the answer.
    func delete(_ id: DocumentID, parent: RevisionID?) throws(StorageError) -> Revision {
        guard let before = try stored(id), let winner = before.tree.winner else {
            throw StorageError(.notFound, "There is no document of this ID.")
        }
        let empty = Array("{}".utf8)
        if before.tree.isDeleted {
            let known = parent ?? winner.id
            guard let position = before.tree.index(of: known) else { throw DocumentWriter.unknownRevision }
            // The parent itself is a tombstone, or the one that this call would make follows it already.
            if before.tree.nodes[position].isDeleted {
                return try revision(id, before.tree, at: position)
            }
            let repeated = try RevisionDigest.revisionID(body: unsafe empty.span.bytes, parent: known, isDeleted: true)
            if let same = before.tree.index(of: repeated) { return try revision(id, before.tree, at: same) }
        }
        return try save(id, body: empty, parent: parent ?? winner.id, isDeleted: true)
    }

    /// A revision that is stored; `{}` for one whose body is gone.
    private func revision(_ id: DocumentID, _ tree: RevisionTree, at position: Int) throws(StorageError) -> Revision {
        let node = tree.nodes[position]
        var json = Array("{}".utf8)
        if node.id == tree.winner?.id {
            _ = try transaction.record(id, fields: .body) { (record) throws(StorageError) in json = record.bodyCopy() }
        } else if node.sequence != 0 {
            _ = try transaction.revisionBody(at: node.sequence) { (bytes) throws(StorageError) in
                json = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
            }
        }
        return Revision(documentID: id, id: node.id, sequence: node.sequence, isDeleted: node.isDeleted, json: json)
    }

    static var unknownRevision: StorageError {
        StorageError(.conflict, "The revision given is not one of the document's. Read the document again.")
    }

    // MARK: - Foreign revisions

    /// Adds a revision made elsewhere with its history, newest first. False where it is known already.
    func insert(
        _ id: DocumentID,
        history: [RevisionID],
        body: [UInt8],
        isDeleted: Bool
    ) throws(StorageError) -> Bool {
        guard let own = history.first else {
            throw StorageError(.badRequest, "A revision from elsewhere needs its own ID.")
        }
        let before = try stored(id)
        var after = before?.tree ?? RevisionTree()
        let sequence = try session.counters().lastSequence + 1
        let outcome = try after.insert(
            history: history,
            deleted: isDeleted,
            hasAttachments: false,
            sequence: sequence
        )
        if case .known = outcome { return false }
        if let before {
            try store(id, before: before, after: &after, newRevision: own, body: body)
        } else {
            _ = after.prune(depth: DocumentWriter.maximumDepth)
            let (sequence, live) = try session.nextSequence(liveChange: isDeleted ? 0 : 1)
            try insert(id, tree: after, winner: own, sequence: sequence, body: body, live: live)
        }
        return true
    }

    // MARK: - Storing a changed tree

    /// Prunes `after`, which has one revision more than `before`, and stores it, moving bodies to where they belong: the
    /// winner's with the record, the others' under their own sequences.
    private func store(
        _ id: DocumentID,
        before: Stored,
        after: inout RevisionTree,
        newRevision: RevisionID,
        body: [UInt8]
    ) throws(StorageError) {
        let pruned = after.prune(depth: DocumentWriter.maximumDepth)
        guard let oldWinner = before.tree.winner, let winner = after.winner else {
            throw .corrupt("The revision tree of document '\(id)' is empty")
        }
        let liveChange = (after.isDeleted ? 0 : 1) - (before.tree.isDeleted ? 0 : 1)
        let (sequence, live) = try session.nextSequence(liveChange: liveChange)

        for node in pruned where node.sequence != 0 && node.id != oldWinner.id {
            try transaction.removeRevisionBody(at: node.sequence)
        }
        let keepsOld = after.index(of: oldWinner.id) != nil
        let change: RecordDraft.BodyChange
        if winner.id == oldWinner.id {
            change = .unchanged
        } else if winner.id == newRevision {
            change = keepsOld ? .replaceKeepingOld(body, oldSequence: oldWinner.sequence) : .replace(body)
        } else {
            // The new revision took the crown from the old winner, and an older branch has it now.
            let risen = try keptBody(of: winner, in: id)
            change = keepsOld ? .replaceKeepingOld(risen, oldSequence: oldWinner.sequence) : .replace(risen)
            try transaction.removeRevisionBody(at: winner.sequence)
        }
        if winner.id != newRevision {
            try unsafe transaction.putRevisionBody(body.span.bytes, at: sequence, owner: before.handle)
        }
        var encoded: [UInt8] = []
        after.encode(into: &encoded)
        try transaction.update(
            before.handle,
            RecordDraft(
                documentID: id,
                flags: after.documentFlags,
                sequence: sequence,
                winner: winner.id,
                tree: encoded,
                body: change,
                liveCount: live
            )
        )
    }

    /// The body of a leaf that is not the winner: always kept.
    private func keptBody(of node: RevisionTree.Node, in id: DocumentID) throws(StorageError) -> [UInt8] {
        var body: [UInt8]?
        _ = try transaction.revisionBody(at: node.sequence) { (bytes) throws(StorageError) in
            body = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
        }
        guard let body else { throw .corrupt("The body of a current revision of document '\(id)' is missing") }
        return body
    }

    // MARK: - Purging

    func purge(_ id: DocumentID) throws(StorageError) -> Bool {
        guard let before = try stored(id) else { return false }
        let (sequence, live) = try session.nextSequence(liveChange: before.tree.isDeleted ? 0 : -1)
        for node in before.tree.nodes where node.sequence != 0 {
            try transaction.removeRevisionBody(at: node.sequence)
        }
        try transaction.purge(before.handle, id, sequence: sequence, liveCount: live)
        return true
    }
}
