internal import StorageProtocol

/// The sequences of an index's documents, for the views of its rows.
final class KVIndexSequences<Store: OrderedStore>: IndexSequenceSource {
    private let transaction: KVReadTransaction<Store>
    private let index: StoredIndex
    /// Memory in which the key is made.
    private var place = KeyBuffer()

    init(_ transaction: KVReadTransaction<Store>, _ index: StoredIndex) {
        self.transaction = transaction
        self.index = index
    }

    func sequence(of id: RawSpan) throws(StorageError) -> UInt64 {
        try transaction.check()
        guard index.state.keepsSequences else { throw .indexKeepsNoSequences }
        return try transaction.noting { () throws(StorageError) in
            try unsafe id.withUnsafeBytes { (id) throws(StorageError) in
                guard let sequence = try unsafe transaction.indexedSequence(index.number, id, &place) else {
                    throw .damagedRow
                }
                return sequence
            }
        }
    }
}
