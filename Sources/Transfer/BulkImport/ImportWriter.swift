internal import SetteeEngine
internal import StorageProtocol

/// Saves the documents of one batch.
struct ImportWriter {
    private let session: WriteSession
    private let writer: DocumentWriter
    /// The highest document ID; nil if there are no documents. Documents above it need no look-up.
    private var highest: DocumentID?
    /// The flags of the documents in the batch that are not above all before them; nil for those that do not exist. An
    /// entry is removed when its document is saved.
    private var found: [DocumentID: DocumentFlags?] = [:]

    init(_ session: WriteSession) throws(StorageError) {
        self.session = session
        writer = DocumentWriter(session)
        var last: DocumentID?
        try session.transaction.orderedRecords(in: .all, descending: true, fields: .metadata) {
            (record) throws(StorageError) in
            last = try record.documentID()
            return false
        }
        highest = last
    }

    /// Looks up all documents of a batch that may exist.
    mutating func lookUp(_ documents: ArraySlice<Result<ImportedDocument, ImportFailure>>) throws(StorageError) {
        var ids: [DocumentID] = []
        var top = highest
        for case .success(let document) in documents where !document.hasNewID && !document.id.isLocal {
            let id = document.id
            guard let before = top, !(before < id) else {
                top = id
                continue
            }
            found.updateValue(nil, forKey: id)
            if let highest, !(highest < id) { ids.append(id) }
        }
        if ids.isEmpty { return }
        try session.transaction.records(ids: ids, fields: .metadata) { (place, record) throws(StorageError) in
            found.updateValue(record.flags, forKey: ids[place])
            return true
        }
    }

    /// - Throws: `conflict` (409) if the document exists; the store's errors.
    mutating func save(_ document: ImportedDocument) throws(StorageError) {
        try add(document)
        if let expiration = document.body.expiration {
            try session.database.setExpiration(expiration, of: document.id)
        }
    }

    private mutating func add(_ document: ImportedDocument) throws(StorageError) {
        if document.id.isLocal { return try saveLocal(document) }
        let isHighest = highest.map { $0 < document.id } ?? true
        let flags = document.hasNewID || isHighest ? nil : try flags(of: document.id)
        try save(document, flags)
        if isHighest {
            highest = document.id
            // The same ID may come again.
            if !found.isEmpty { found.removeValue(forKey: document.id) }
        }
    }

    private func save(_ document: ImportedDocument, _ flags: DocumentFlags?) throws(StorageError) {
        if document.body.history.isEmpty {
            if flags == nil, let first = document.first { return try create(document, first) }
            guard flags?.contains(.deleted) ?? true else { throw ImportWriter.exists }
            _ = try writer.save(
                document.id,
                document.body,
                parent: nil
            )
            return
        }
        if let flags, !flags.contains(.deleted) { throw ImportWriter.exists }
        let isNew = try writer.insert(
            document.id,
            history: document.body.history,
            document.body
        )
        guard isNew else {
            throw StorageError(.conflict, "The database has this revision of the document already.")
        }
    }

    private func create(_ document: ImportedDocument, _ first: RevisionID) throws(StorageError) {
        try writer.create(
            IncomingRevision(
                documentID: document.id,
                revisionID: first,
                parentID: nil,
                isDeleted: document.body.isDeleted,
                json: document.body.canonical,
                attachments: [],
                origin: .local
            )
        )
    }

    private mutating func flags(of id: DocumentID) throws(StorageError) -> DocumentFlags? {
        // Once saved, the document may exist at the next look-up.
        if let known = found.removeValue(forKey: id) { return known }
        var flags: DocumentFlags?
        _ = try session.transaction.record(id, fields: .metadata) { (record) throws(StorageError) in
            flags = record.flags
        }
        return flags
    }

    private func saveLocal(_ document: ImportedDocument) throws(StorageError) {
        guard try session.database.localRevision(of: document.id) == nil else { throw ImportWriter.exists }
        _ = try session.database.putLocal(document.id, document.body, parent: nil)
    }

    private static var exists: StorageError {
        StorageError(.conflict, "The document exists. Purge or delete it first, or import into another database.")
    }
}

extension ImportFailure {
    init(_ document: ImportedDocument, _ error: StorageError) {
        line = document.line
        offset = document.offset
        id = document.id.string
        self.error = error
    }
}
