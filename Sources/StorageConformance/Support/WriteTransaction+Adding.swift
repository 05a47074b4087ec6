internal import StorageProtocol

extension WriteTransaction {
    /// Adds a document under the next sequence.
    func add(
        _ id: String,
        _ json: String = "{}",
        flags: DocumentFlags = [],
        tree: String = "tree"
    ) throws(StorageError) {
        try add(try DocumentID(id), bytes(json), flags: flags, tree: bytes(tree))
    }

    func add(
        _ id: DocumentID,
        _ json: [UInt8],
        flags: DocumentFlags = [],
        tree: [UInt8] = [1, 2, 3]
    ) throws(StorageError) {
        let sequence = try counters().lastSequence + 1
        try insert(
            RecordDraft(
                documentID: id,
                flags: flags,
                sequence: sequence,
                winner: try RevisionID("1-\(sequence)"),
                tree: tree,
                body: .replace(json)
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
        let sequence = try counters().lastSequence + 1
        try update(
            RecordDraft(
                documentID: try DocumentID(id),
                flags: flags,
                sequence: sequence,
                winner: try RevisionID("2-\(sequence)"),
                tree: bytes(tree),
                body: body
            )
        )
        return sequence
    }

    /// Purges a document, its other bodies first, under the next sequence, which it returns.
    @discardableResult
    func purge(_ id: String) throws(StorageError) -> UInt64 {
        let id = try DocumentID(id)
        var kept: [UInt64] = []
        try revisionBodies { (sequence, owner, _) throws(StorageError) in
            if owner == id { kept.append(sequence) }
            return true
        }
        for sequence in kept { try removeRevisionBody(at: sequence) }
        let sequence = try counters().lastSequence + 1
        try purge(id, sequence: sequence)
        return sequence
    }

    func putLocal(_ id: String, _ revision: String, _ json: String) throws(StorageError) {
        try unsafe putLocalDocument(
            try DocumentID(id),
            revision: bytes(revision).span.bytes,
            json: bytes(json).span.bytes
        )
    }

    func putBody(_ json: String, at sequence: UInt64, owner: String) throws(StorageError) {
        try unsafe putRevisionBody(bytes(json).span.bytes, at: sequence, owner: try DocumentID(owner))
    }

    func expire(_ id: String, at time: Int64?) throws(StorageError) {
        try setExpiration(time, of: try DocumentID(id))
    }
}
