internal import StorageEngineKit
internal import StorageProtocol

/// The sequences of an index's documents, for the views of its rows.
final class MemoryIndexSequences: IndexSequenceSource {
    private let transaction: MemoryReadTransaction
    private let index: MemoryIndex

    init(_ transaction: MemoryReadTransaction, _ index: MemoryIndex) {
        self.transaction = transaction
        self.index = index
    }

    func sequence(of id: RawSpan) throws(StorageError) -> UInt64 {
        try transaction.check()
        guard index.state.keepsSequences else { throw .indexKeepsNoSequences }
        guard let document = index.documents[ByteKey(Array(copying: id))] else {
            throw .rowsOfUnknownDocument
        }
        return document.sequence
    }
}
