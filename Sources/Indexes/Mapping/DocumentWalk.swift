internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Mappers for which one walk over each document finds all values. Used on one thread.
final class DocumentWalk {
    private final class Part {
        let mapper: any DocumentMapper
        let work: ChunkMapper.Work
        /// The index of its first path among those of all.
        let firstPath: Int
        var rows: EmittedRows

        init(_ mapper: any DocumentMapper, _ work: ChunkMapper.Work, firstPath: Int) {
            self.mapper = mapper
            self.work = work
            self.firstPath = firstPath
            rows = EmittedRows(work.mapper.order.collator)
        }

        func take() -> ChunkMapper.Rows {
            let taken = ChunkMapper.Rows(batches: [rows.batch], faults: rows.faults)
            rows = EmittedRows(work.mapper.order.collator)
            return taken
        }
    }

    private let parts: [Part]
    private let places: PathPlaces

    init(_ mappers: [(mapper: any DocumentMapper, work: ChunkMapper.Work)]) {
        var firstPath = 0
        parts = mappers.map { mapper, work in
            defer { firstPath += mapper.trie.paths.count }
            return Part(mapper, work, firstPath: firstPath)
        }
        places = PathPlaces(.joined(mappers.map(\.mapper.trie)))
    }

    /// Begins a document for each index that has not seen it, and adds its rows.
    ///
    /// - Parameter body: nil: it has no rows.
    func map(_ id: RawSpan, sequence: UInt64, body: RawSpan?, revision: RawSpan) throws(StorageError) {
        for part in parts where sequence > part.work.after { part.rows.begin(id, sequence: sequence) }
        guard let body else { return }
        let found = places.find(in: body)
        for part in parts where sequence > part.work.after {
            let found = found.suffix(from: part.firstPath)
            try part.mapper.map(body, found, id: id, revision: revision, into: &part.rows)
        }
    }

    /// Does the same for copied documents.
    func map(_ entries: ArraySlice<DocumentChunk.Entry>, of chunk: DocumentChunk) throws(StorageError) {
        for entry in entries {
            let hasRows = entry.body != nil && !entry.isDesign
            try chunk.withID(entry) { (id) throws(StorageError) in
                try chunk.withBody(entry) { (body) throws(StorageError) in
                    try chunk.withWinner(entry) { (revision) throws(StorageError) in
                        try map(id, sequence: entry.sequence, body: hasRows ? body : nil, revision: revision)
                    }
                }
            }
        }
    }

    /// Returns the rows for each mapper since the last call.
    func take() -> [ChunkMapper.Rows] { parts.map { $0.take() } }
}
