public import StorageProtocol

/// Looks up the sequences of an index's documents with `IndexReader.indexedSequence`, for the views of its rows.
public final class IndexedSequences: IndexSequenceSource {
    private let reader: any IndexReader
    private let name: String

    /// - Parameter name: The name of the index.
    public init(_ reader: any IndexReader, _ name: String) {
        self.reader = reader
        self.name = name
    }

    public func sequence(of id: RawSpan) throws(StorageError) -> UInt64 {
        guard let sequence = try reader.indexedSequence(name, try DocumentID(stored: id)) else {
            throw .rowsOfUnknownDocument
        }
        return sequence
    }
}
