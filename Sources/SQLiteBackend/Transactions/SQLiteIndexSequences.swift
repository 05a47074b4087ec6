internal import StorageProtocol

/// The sequences of an index's documents, for the views of its rows.
final class SQLiteIndexSequences: IndexSequenceSource {
    private let transaction: SQLiteReadTransaction
    private let index: Int64
    private let keepsSequences: Bool

    init(_ transaction: SQLiteReadTransaction, _ index: Int64, keepsSequences: Bool) {
        self.transaction = transaction
        self.index = index
        self.keepsSequences = keepsSequences
    }

    func sequence(of id: RawSpan) throws(StorageError) -> UInt64 {
        guard keepsSequences else { throw .indexKeepsNoSequences }
        let sequence = try unsafe id.withUnsafeBytes { (id) throws(StorageError) in
            try unsafe transaction.indexedSequence(index, id)
        }
        guard let sequence else { throw .rowsOfUnknownDocument }
        return sequence
    }
}
