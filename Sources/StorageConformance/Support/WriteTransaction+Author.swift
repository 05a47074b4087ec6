internal import StorageProtocol

extension WriteTransaction {
    /// Adds a document under the next sequence.
    @discardableResult
    func add(
        _ id: String,
        _ json: String = "{}",
        flags: DocumentFlags = [],
        tree: String = "tree"
    ) throws(StorageError) -> RecordHandle {
        try add(try DocumentID(id), bytes(json), flags: flags, tree: bytes(tree))
    }

    @discardableResult
    func add(
        _ id: DocumentID,
        _ json: [UInt8],
        flags: DocumentFlags = [],
        tree: [UInt8] = [1, 2, 3]
    ) throws(StorageError) -> RecordHandle {
        let before = try counters()
        return try insert(
            RecordDraft(
                documentID: id,
                flags: flags,
                sequence: before.lastSequence + 1,
                winner: try RevisionID("1-\(before.lastSequence + 1)"),
                tree: tree,
                body: .replace(json),
                liveCount: before.liveDocuments + (flags.contains(.deleted) ? 0 : 1)
            )
        )
    }

    /// Updates a document under the next sequence, which it returns.
    @discardableResult
    func change(
        _ id: String,
        _ body: RecordDraft.BodyChange = .unchanged,
        flags: DocumentFlags = [],
        tree: String = "changed tree"
    ) throws(StorageError) -> UInt64 {
        let id = try DocumentID(id)
        let (handle, old) = try found(id)
        let before = try counters()
        let sequence = before.lastSequence + 1
        let gone = old.contains(.deleted) ? 0 : UInt64(1)
        try update(
            handle,
            RecordDraft(
                documentID: id,
                flags: flags,
                sequence: sequence,
                winner: try RevisionID("2-\(sequence)"),
                tree: bytes(tree),
                body: body,
                liveCount: before.liveDocuments - gone + (flags.contains(.deleted) ? 0 : 1)
            )
        )
        return sequence
    }

    /// Purges a document, its other bodies first, under the next sequence, which it returns.
    @discardableResult
    func purge(_ id: String) throws(StorageError) -> UInt64 {
        let id = try DocumentID(id)
        let (handle, flags) = try found(id)
        let before = try counters()
        var kept: [UInt64] = []
        try revisionBodies { (sequence, owner, _) throws(StorageError) in
            if owner == handle { kept.append(sequence) }
            return true
        }
        for sequence in kept { try removeRevisionBody(at: sequence) }
        let live = before.liveDocuments - (flags.contains(.deleted) ? 0 : 1)
        try purge(handle, id, sequence: before.lastSequence + 1, liveCount: live)
        return before.lastSequence + 1
    }

    private func found(_ id: DocumentID) throws(StorageError) -> (RecordHandle, DocumentFlags) {
        var result: (RecordHandle, DocumentFlags)?
        _ = try record(id, fields: .metadata) { view in result = (view.handle, view.flags) }
        guard let result else { throw StorageError(.notFound, "The suite expects a record that the store lacks.") }
        return result
    }

    func putLocal(_ id: String, _ revision: String, _ json: String) throws(StorageError) {
        try unsafe putLocalDocument(
            try DocumentID(id),
            revision: bytes(revision).span.bytes,
            json: bytes(json).span.bytes
        )
    }

    func putBody(_ json: String, at sequence: UInt64, owner: RecordHandle) throws(StorageError) {
        try unsafe putRevisionBody(bytes(json).span.bytes, at: sequence, owner: owner)
    }
}
