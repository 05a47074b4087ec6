internal import SetteeDocumentValues
public import StorageProtocol

extension Document {
    /// The current revision of a live document; nil if it is missing or deleted. `revision()` also returns tombstones.
    public var currentRevision: SavedRevision? {
        get throws(StorageError) {
            guard let revision = try revision(), !revision.isDeleted else { return nil }
            return revision
        }
    }

    /// Returns any revision of the document by its ID, including tombstones; nil if it is unknown or its body is not
    /// kept.
    ///
    /// Bodies of leaves are always kept. The body of a superseded revision is kept until the revision is pruned or the
    /// database is compacted. A revision that was only added as an ancestor of another never had a body here.
    public func revision(_ id: RevisionID) throws(StorageError) -> SavedRevision? {
        try database.revision(id, of: documentID())
    }

    /// Returns all leaves, including tombstones: the current revision first, then the others in the order in which they
    /// would win. Empty if there is no such document.
    public func leafRevisions() throws(StorageError) -> [SavedRevision] {
        let id = try documentID()
        return try database.leaves(of: id, onlyLive: false)
    }

    /// Returns the live leaves, the current revision first. More than one means that the document is in conflict. Empty
    /// if it is missing or deleted.
    public func conflictingRevisions() throws(StorageError) -> [SavedRevision] {
        let id = try documentID()
        return try database.leaves(of: id, onlyLive: true)
    }

    /// Whether the document has two or more live leaves. Complexity: O(log n); no body is read.
    public var isConflicted: Bool {
        get throws(StorageError) {
            let id = try documentID()
            return try database.withReadTransaction { (transaction) throws(StorageError) in
                var isConflicted = false
                if id.isLocal { return false }
                _ = try transaction.record(id, fields: .metadata) { (record) throws(StorageError) in
                    isConflicted = record.flags.contains(.conflicted)
                }
                return isConflicted
            }
        }
    }

    /// Returns the current revision and its known ancestors, newest first. Empty if there is no such document.
    public func history() throws(StorageError) -> [RevisionInfo] {
        let id = try documentID()
        return try database.withReadTransaction { (transaction) throws(StorageError) in
            try database.history(of: nil, of: id, in: transaction)
        }
    }

    /// Makes a revision on top of the current one, with its body to edit. The body is empty if the document is missing
    /// or deleted.
    public func newRevision() throws(StorageError) -> UnsavedRevision {
        guard let current = try revision() else { return UnsavedRevision(of: self, parentID: nil, properties: [:]) }
        guard !current.isDeleted else { return UnsavedRevision(of: self, parentID: current.id, properties: [:]) }
        return try current.newRevision()
    }
}

extension Database {
    fileprivate func leaves(of id: DocumentID, onlyLive: Bool) throws(StorageError) -> [SavedRevision] {
        let began = trace?.now
        let found = try withReadTransaction { (transaction) throws(StorageError) in
            try leaves(of: id, onlyLive: onlyLive, in: transaction)
        }
        if let trace, let began { trace.gotLeaves(id, found, began: began) }
        return found
    }

    /// - Parameter onlyLive: whether to leave out tombstones.
    func leaves(
        of id: DocumentID,
        onlyLive: Bool,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [SavedRevision] {
        if id.isLocal { return try localRevision(of: id, in: transaction).map { [$0] } ?? [] }
        return try StoredDocument(id, of: self, in: transaction)?.leaves(onlyLive: onlyLive) ?? []
    }

    /// - Parameter revision: nil for the current one.
    func history(
        of revision: RevisionID?,
        of id: DocumentID,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [RevisionInfo] {
        if id.isLocal { return try localHistory(of: revision, of: id, in: transaction) }
        guard let stored = try StoredDocument(id, of: self, in: transaction),
            let newest = revision ?? stored.tree.winner?.id
        else { return [] }
        return try stored.history(of: newest)
    }

    /// A local document has only its current revision.
    private func localHistory(
        of revision: RevisionID?,
        of id: DocumentID,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> [RevisionInfo] {
        guard let present = try localRevision(of: id, in: transaction), revision == nil || revision == present.id
        else { return [] }
        return [
            RevisionInfo(
                of: id,
                in: self,
                id: present.id,
                sequence: 0,
                isDeleted: false,
                isLeaf: true,
                hasBody: true
            )
        ]
    }
}
