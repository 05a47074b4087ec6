internal import SetteeEngine
internal import StorageProtocol

/// Maps records as the store lends them, in one walk for all mappers: no document is copied. Used on one thread.
final class DirectMapper {
    private final class Part {
        let mapper: any RecordMapper
        let work: ChunkMapper.Work
        var rows: EmittedRows

        init(_ mapper: any RecordMapper, _ work: ChunkMapper.Work) {
            self.mapper = mapper
            self.work = work
            rows = EmittedRows(work.mapper.order.collator)
        }

        /// Returns the rows of the documents since the last call.
        func take() -> ChunkMapper.Rows {
            let taken = ChunkMapper.Rows(batches: [rows.batch], faults: rows.faults)
            rows = EmittedRows(work.mapper.order.collator)
            return taken
        }
    }

    /// What was mapped of a range of sequences.
    struct Mapped {
        /// The rows for each mapper.
        var rows: [ChunkMapper.Rows]
        /// All documents up to this sequence were mapped.
        var last: UInt64
        /// Whether there was none.
        var isEmpty: Bool
    }

    private let parts: [Part]
    private let fields: RecordFields

    /// - Returns: nil if one of the mappers needs copies of documents.
    init?(_ works: [ChunkMapper.Work]) {
        var parts: [Part] = []
        for work in works {
            guard let mapper = work.mapper.recordMapper() else { return nil }
            parts.append(Part(mapper, work))
        }
        self.parts = parts
        fields = works.contains { $0.mapper.readsRevisions } ? [.winner, .body] : .body
    }

    /// Maps the documents with sequences in `range`, up to about as many bytes as a chunk has.
    func map(
        _ range: ClosedRange<UInt64>,
        in transaction: any ReadTransaction
    ) throws(StorageError) -> Mapped {
        var (last, bytes, isEmpty) = (range.upperBound, 0, true)
        do throws(StorageError) {
            try transaction.orderedRecords(sequences: range, descending: false, fields: fields) {
                (record) throws(StorageError) in
                isEmpty = false
                if record.flags.contains(.deleted) || record.isOfDesign { return true }
                for part in parts where record.sequence > part.work.after {
                    try part.mapper.map(record, into: &part.rows)
                }
                bytes += record.withBody { $0.byteCount }
                if bytes < ChunkReader.maximumBytes { return true }
                last = record.sequence
                return false
            }
        } catch {
            for part in parts { _ = part.take() }
            throw error
        }
        return Mapped(rows: parts.map { $0.take() }, last: last, isEmpty: isEmpty)
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
