public import SetteeDocumentValues
public import StorageProtocol

extension SavedRevision {
    /// The body with `_id`, `_rev` and, for a tombstone, `_deleted`. Attachments are in `_attachments` as stubs, as in
    /// the body itself.
    ///
    /// - Throws: `corrupt` (591) if the stored text is damaged.
    public var annotatedProperties: JSONObject {
        get throws(StorageError) {
            var object = try properties
            object["_id"] = .string(documentID.string)
            object["_rev"] = .string(id.string)
            if isDeleted { object["_deleted"] = .bool(true) }
            return object
        }
    }

    /// Returns the body with `_id`, `_rev`, `_deleted` for a tombstone, and the requested special properties, all from
    /// one state of the database.
    ///
    /// Properties that the revision tree can no longer provide are left out: all but `_local_seq` if this revision was
    /// purged or pruned since. A local document has only `_id` and `_rev`.
    ///
    /// - Throws: `corrupt` (591) if the stored text is damaged.
    public func properties(including special: SpecialProperties) throws(StorageError) -> JSONObject {
        try database.withReadTransaction { (transaction) throws(StorageError) in
            try properties(including: special, in: transaction)
        }
    }

    fileprivate func properties(
        including special: SpecialProperties,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> JSONObject {
        var object = try annotatedProperties
        if documentID.isLocal { return object }
        if special.contains(.localSequence) { object["_local_seq"] = JSONValue(sequence) }
        guard !special.isDisjoint(with: [.revisions, .revisionsInfo, .conflicts]),
            let stored = try StoredDocument(documentID, of: database, in: transaction)
        else { return object }
        try stored.add(special, of: id, to: &object)
        return object
    }
}

extension Document {
    /// Returns the body of a live document with `_id`, `_rev` and the requested special properties, all from one state
    /// of the database; nil if it is missing or deleted. For a tombstone use `properties(including:)` of `revision()`.
    public func properties(including special: SpecialProperties) throws(StorageError) -> JSONObject? {
        let id = try documentID()
        return try database.withReadTransaction { (transaction) throws(StorageError) in
            try database.properties(of: id, including: special, in: transaction)
        }
    }
}

extension Database {
    func properties(
        of id: DocumentID,
        including special: SpecialProperties,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> JSONObject? {
        guard let revision = try revision(of: id, in: transaction), !revision.isDeleted else { return nil }
        return try revision.properties(including: special, in: transaction)
    }
}

extension StoredDocument {
    /// Adds what the tree provides; nothing if it no longer has the revision.
    fileprivate func add(
        _ special: SpecialProperties,
        of revision: RevisionID,
        to object: inout JSONObject
    ) throws(StorageError) {
        guard tree.index(of: revision) != nil else { return }
        if special.contains(.revisions) {
            object["_revisions"] = DocumentBody.revisions(tree.history(of: revision).map(\.id))
        }
        if special.contains(.revisionsInfo) {
            var entries: [JSONValue] = []
            for info in try history(of: revision) {
                entries.append(["rev": .string(info.id.string), "status": .string(info.status.rawValue)])
            }
            object["_revs_info"] = .array(entries)
        }
        if special.contains(.conflicts) {
            let others = tree.leaves.filter { !$0.isDeleted && $0.id != revision }
            if !others.isEmpty { object["_conflicts"] = .array(others.map { .string($0.id.string) }) }
        }
    }
}
