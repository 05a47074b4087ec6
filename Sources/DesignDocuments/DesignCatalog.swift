internal import SetteeEngine
internal import StorageProtocol

/// The design documents of a database as they are now. Their bodies are read again only when their revisions change,
/// and their revisions only when the database does, whichever process changes it.
final class DesignCatalog: Sendable {
    private struct State {
        /// The database's last sequence just before the documents were read; nil: they were not read yet.
        var sequence: UInt64?
        /// In the order of their IDs.
        var documents: [DesignDocument] = []
    }

    private let database: Database
    private let state = Locked(State())

    private static let range = ByteRange(
        lower: .including(Array("_design/".utf8)),
        upper: .excluding(Array("_design0".utf8))
    )

    init(_ database: Database) { self.database = database }

    /// The documents in the order of their IDs, tombstones included.
    ///
    /// - Complexity: one look at the database's counters; O(design documents) after any change of the database.
    func documents() throws(StorageError) -> [DesignDocument] {
        let sequence = try database.lastSequence
        let known = state.withLock { $0 }
        if known.sequence == sequence { return known.documents }
        let documents = try database.withReadTransaction { (transaction) throws(StorageError) in
            try read(transaction, known.documents)
        }
        // What a transaction shows may be rolled back.
        if case .none = database.threadActivity {
            state.withLock { $0 = State(sequence: sequence, documents: documents) }
        }
        return documents
    }

    /// - Parameter name: without `_design/`.
    func document(_ name: String) throws(StorageError) -> DesignDocument? {
        try documents().first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private func read(
        _ transaction: any ReadTransaction,
        _ known: [DesignDocument]
    ) throws(StorageError) -> [DesignDocument] {
        var present: [(id: DocumentID, revision: RevisionID)] = []
        try transaction.orderedRecords(in: DesignCatalog.range, descending: false, fields: .winner) {
            (record) throws(StorageError) in
            present.append((try record.documentID(), try record.winnerID()))
            return true
        }
        var documents: [DesignDocument] = []
        var others = known[...]
        for (id, revision) in present {
            // Both are in the order of their IDs.
            while let other = others.first, other.id.utf8.lexicographicallyPrecedes(id.string.utf8) {
                others.removeFirst()
            }
            if let other = others.first, other.revision == revision, other.id.utf8.elementsEqual(id.string.utf8) {
                documents.append(other)
            } else if let saved = try database.revision(of: id, in: transaction) {
                documents.append(try DesignDocument(saved))
            }
        }
        return documents
    }
}
