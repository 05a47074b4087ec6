internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Stores whole documents of an export, as they were, in one write transaction.
struct DocumentRestorer {
    private let session: WriteSession
    private let reader: ExportReader
    private let index: ExportIndex
    private let blobs: ExportedBlobs
    private var transaction: any WriteTransaction { get throws(StorageError) { try session.transaction } }

    init(_ session: WriteSession, _ reader: ExportReader, _ index: ExportIndex, _ blobs: ExportedBlobs) {
        self.session = session
        self.reader = reader
        self.index = index
        self.blobs = blobs
    }

    /// Returns the document at `place`, without its bodies.
    func header(at place: ExportIndex.Document) throws(StorageError) -> ExportedDocument {
        reader.seek(to: place.offset, end: place.offset + place.length)
        try reader.require()
        guard case .document(let document) = try reader.line() else { throw reader.damaged("it is no document") }
        return document
    }

    /// Adds a document that has no record.
    ///
    /// - Parameter sequences: The sequences of its revisions; nil: new ones.
    func add(
        _ place: ExportIndex.Document,
        sequences: ((ExportedDocument) -> [UInt64])? = nil
    ) throws(StorageError) {
        let lines = try header(at: place)
        var document = lines
        var winnerBody: [UInt8] = []
        var uses: [AttachmentUse] = []
        var current: [IncomingRevision] = []
        var bodies = 0
        var isParent = [Bool](repeating: false, count: lines.revisions.count)
        // The tree is checked after the bodies, because the file may have changed since it was verified.
        for revision in lines.revisions {
            guard let parent = revision.parent else { continue }
            guard isParent.indices.contains(parent) else { throw reader.damaged("a parent is missing") }
            isParent[parent] = true
        }
        let tree = try reader.document(&document) { (index, body, json) throws(StorageError) in
            bodies += 1
            let own = try blobs.uses(body.attachments, session)
            uses += own
            guard !isParent[index] else { return }
            let revision = lines.revisions[index]
            let bytes = unsafe json.withUnsafeBytes { unsafe Array($0) }
            let incoming = IncomingRevision(
                documentID: lines.id,
                revisionID: revision.id,
                parentID: revision.parent.map { lines.revisions[$0].id },
                isDeleted: revision.isDeleted,
                json: bytes,
                attachments: own,
                origin: .foreign(source: nil)
            )
            try DocumentWriter(session).validate(
                incoming,
                before: nil,
                history: ExportedDocument.history(of: index, in: lines.revisions)
            )
            if index == 0 {
                winnerBody = bytes
                current = [incoming]
            }
        }
        guard let incoming = current.first, let winner = tree.winner else { throw reader.damaged("it has no winner") }
        let places: [UInt64]
        if let sequences {
            places = sequences(document)
            try session.take(sequence: places.max() ?? 0)
        } else {
            places = try newSequences(of: document)
        }
        let placed = try tree.replacingSequences(places)
        try AttachmentReferences(session).retain(uses)
        let sequence = places.max() ?? 0
        try transaction.insert(
            RecordDraft(
                documentID: document.id,
                flags: placed.documentFlags,
                sequence: sequence,
                winner: winner.id,
                tree: placed.storedBytes,
                body: .replace(winnerBody)
            )
        )
        if bodies > 1 { try addOtherBodies(of: place, document.id, places) }
        if let expiration = document.expiration {
            try transaction.setExpiration(expiration, of: document.id)
            session.noteExpiry(at: expiration)
        }
        session.announce(incoming, sequence: sequence, tree: placed)
    }

    /// Reads the document once more, because all its bodies together may not fit in memory.
    private func addOtherBodies(
        of place: ExportIndex.Document,
        _ id: DocumentID,
        _ sequences: [UInt64]
    ) throws(StorageError) {
        var document = try header(at: place)
        try reader.document(&document) { (index, _, json) throws(StorageError) in
            guard sequences.indices.contains(index) else { throw reader.damaged("there are other revisions now") }
            if index > 0 { try transaction.putRevisionBody(json, at: sequences[index], owner: id) }
        }
    }

    /// Returns new sequences for the revisions that had one, in the same order. If the export has none, for those with
    /// a body, ancestors first.
    private func newSequences(of document: ExportedDocument) throws(StorageError) -> [UInt64] {
        let revisions = document.revisions
        var order = revisions.indices.filter { document.hasStore ? revisions[$0].sequence != 0 : revisions[$0].hasBody }
        order.sort { first, second in
            document.hasStore
                ? revisions[first].sequence < revisions[second].sequence
                : (revisions[first].id.generation, second) < (revisions[second].id.generation, first)
        }
        var sequences = [UInt64](repeating: 0, count: revisions.count)
        for place in order { sequences[place] = try session.nextSequence() }
        return sequences
    }
}
