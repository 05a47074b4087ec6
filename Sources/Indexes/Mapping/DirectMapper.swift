internal import SetteeEngine
internal import StorageProtocol

/// Maps records as the store lends them: no document is copied. Used on one thread.
final class DirectMapper {
    /// What was mapped of a range of sequences.
    struct Mapped {
        /// The rows for each mapper.
        var rows: [ChunkMapper.Rows]
        /// All documents up to this sequence were mapped.
        var last: UInt64
        /// Whether there was none.
        var isEmpty: Bool
    }

    private let walk: DocumentWalk
    private let readsRevisions: Bool

    /// - Returns: nil if one of the mappers needs copies of documents.
    init?(_ works: [ChunkMapper.Work]) {
        var mappers: [(any DocumentMapper, ChunkMapper.Work)] = []
        for work in works {
            guard case .documents(let mapper) = work.mapper.makeRowMaker() else { return nil }
            mappers.append((mapper, work))
        }
        walk = DocumentWalk(mappers)
        readsRevisions = works.contains { $0.mapper.readsRevisions }
    }

    /// Maps the documents with sequences in `range`, up to about as many bytes as a chunk has.
    func map(
        _ range: ClosedRange<UInt64>,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Mapped {
        var (last, bytes, isEmpty) = (range.upperBound, 0, true)
        let fields: RecordFields = readsRevisions ? [.winner, .body] : .body
        do throws(StorageError) {
            try transaction.orderedRecords(sequences: range, descending: false, fields: fields) {
                (record) throws(StorageError) in
                isEmpty = false
                if record.flags.contains(.deleted) || record.isOfDesign { return true }
                bytes += try map(record)
                if bytes < ChunkReader.maximumBytes { return true }
                last = record.sequence
                return false
            }
        } catch {
            _ = walk.take()
            throw error
        }
        return Mapped(rows: walk.take(), last: last, isEmpty: isEmpty)
    }

    /// - Returns: the number of bytes of the body.
    private func map(_ record: borrowing RecordView) throws(StorageError) -> Int {
        try record.withID { (id) throws(StorageError) in
            try record.withBody { (body) throws(StorageError) in
                if readsRevisions {
                    try record.withWinner { (revision) throws(StorageError) in
                        try walk.map(id, sequence: record.sequence, body: body, revision: revision)
                    }
                } else {
                    try walk.map(id, sequence: record.sequence, body: body, revision: RawSpan())
                }
                return body.byteCount
            }
        }
    }
}

extension RecordView {
    /// Whether the document is a design document.
    package var isOfDesign: Bool { withID { $0.isDesignID } }
}

extension RawSpan {
    /// Whether a stored ID is that of a design document.
    package var isDesignID: Bool {
        unsafe withUnsafeBytes { id in unsafe id.first == UInt8(ascii: "_") && id.starts(with: "_design/".utf8) }
    }
}
