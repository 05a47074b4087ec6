internal import SetteeDocumentValues
internal import SetteeEngine
package import StorageProtocol

extension DatabaseBuilder {
    /// How many bytes of a document's other bodies are kept in memory instead of being requested a second time.
    private static var memory: Int { 4 << 20 }

    /// Adds a document with its tree and bodies.
    ///
    /// - Parameter body: Returns the body of the revision at an index of `document.revisions`, or nil if it has none; a
    ///   leaf always has one. Called in any order, and possibly twice for the same index, and must then return the same
    ///   body.
    /// - Throws: `exists` (412) if there is such a document; `badRequest` (400) if the tree is impossible;
    ///   `badParameter` (495) if a sequence is already used or out of range. Then nothing was added. Any other error
    ///   ends the building.
    package func add(
        _ document: BuiltDocument,
        body: (Int) throws(StorageError) -> BuiltBody?
    ) throws(StorageError) {
        try ThreadContext.current.gate?.check()
        let found = try transaction.record(document.id, fields: .metadata) { (_) throws(StorageError) in }
        guard !found else { throw StorageError(.exists, "There is a document of this ID already.") }
        var parts = document.revisions
        // A first pass for the order, which does not depend on the attachments and checksums of bodies.
        let shape = try RevisionTree(unordered: parts)
        guard let winner = shape.winner, let first = parts.firstIndex(where: { $0.id == winner.id }) else {
            throw StorageError(.badRequest, "The document has no revision.")
        }
        var winnerBody: [UInt8] = []
        var others: [Int: BuiltBody] = [:]
        var kept = 0
        var places: [Int] = []
        var uses: [[UInt8]] = []
        for place in parts.indices where parts[place].sequence > 0 {
            guard let body = try body(place) else { continue }
            parts[place].hasBody = true
            parts[place].hasAttachments = !body.attachments.isEmpty
            parts[place].bodyChecksum = unsafe RevisionChecksum.ofBody(
                body.json.span.bytes,
                id: parts[place].id,
                isDeleted: parts[place].isDeleted
            )
            uses += body.attachments
            if place == first {
                winnerBody = body.json
                continue
            }
            places.append(place)
            kept += body.json.count
            if kept <= DatabaseBuilder.memory { others[place] = body }
        }
        guard !winnerBody.isEmpty else { throw StorageError(.badRequest, "The document's winner has no body.") }
        let tree = try RevisionTree(unordered: parts)
        guard let sequence = parts.map(\.sequence).max(), sequence <= UInt64(Int64.max) else {
            throw StorageError(.badParameter, "A sequence is out of range.")
        }
        try transaction.insert(
            RecordDraft(
                documentID: document.id,
                flags: tree.documentFlags,
                sequence: sequence,
                winner: winner.id,
                tree: tree.storedBytes,
                body: .replace(winnerBody)
            )
        )
        if let expiration = document.expiration { try transaction.setExpiration(expiration, of: document.id) }
        try count(uses)
        written.add(document.id, sequence: sequence, revisions: parts.count, isDeleted: tree.isDeleted)
        try wrote(bytes: winnerBody.count)
        for place in places {
            var other = others[place]
            if other == nil { other = try body(place) }
            guard let other else {
                throw StorageError(.unexpected, "A revision's body is not what it was a moment before.")
            }
            try unsafe transaction.putRevisionBody(other.json.span.bytes, at: parts[place].sequence, owner: document.id)
            written.bodies += 1
            try wrote(bytes: other.json.count)
        }
    }

    /// Adds a local document.
    package func addLocal(_ id: DocumentID, revision: RevisionID, json: [UInt8]) throws(StorageError) {
        let stored = unsafe LocalRevision.stored(revision, json.span.bytes)
        try unsafe transaction.putLocalDocument(id, revision: stored.span.bytes, json: json.span.bytes)
        written.localDocuments += 1
        try wrote(bytes: json.count)
    }

    /// Whether there is a local document with this ID.
    package func hasLocal(_ id: DocumentID) throws(StorageError) -> Bool {
        try transaction.localDocument(id) { (_, _) throws(StorageError) in }
    }

    // MARK: - Values

    /// Sets an info value, as seen in `Database.info`.
    ///
    /// - Throws: `badParameter` (495), `tooLarge` (413) if the value is not allowed.
    package func setInfo(_ value: String, for key: String) throws(StorageError) {
        guard (1...InfoKey.maximumLength).contains(key.utf8.count), !key.utf8.contains(0) else {
            throw StorageError(.badParameter, "An info key has 1 to 255 bytes of UTF-8, none of them NUL.")
        }
        guard value.utf8.count <= InfoKey.maximumValueLength else {
            throw StorageError(.tooLarge, "The info value is over 1 MiB.")
        }
        try transaction.setInfo(Array(value.utf8), for: InfoKey.applicationPrefix + key)
        try wrote(bytes: value.utf8.count)
    }

    /// Sets the UUIDs that identify the database. Those that are not set are generated.
    package func setUUIDs(public publicUUID: String?, private privateUUID: String?) throws(StorageError) {
        if let publicUUID { try transaction.setInfo(Array(publicUUID.utf8), for: InfoKey.publicUUID) }
        if let privateUUID { try transaction.setInfo(Array(privateUUID.utf8), for: InfoKey.privateUUID) }
    }

    /// Like `Database.setMaxRevTreeDepth`.
    package func setRevisionTreeDepth(_ depth: Int) throws(StorageError) {
        guard depth > 0, depth != Database.defaultRevisionTreeDepth else { return }
        try transaction.setInfo(Array(String(depth).utf8), for: Database.revisionTreeDepthKey)
    }

    /// Makes sure that no sequence up to this one is assigned any more.
    package func raiseLastSequence(to sequence: UInt64) throws(StorageError) {
        try transaction.raiseLastSequence(to: sequence)
    }
}
