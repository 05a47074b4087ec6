internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// A map function with its version, collation and reduce function, as set or loaded in this process.
struct ViewFunction: RowMapper, GroupMapper {
    /// What makes the rows of a document.
    enum Map: Sendable {
        case closure(@Sendable (MapDocument, MapEmitter) throws -> Void)
        case definition(DefinitionMapper)
        case batch(BatchMap)

        /// The map function if this program has set it; nil for a stored definition
        /// and for one that gets many documents at a time.
        var closure: (@Sendable (MapDocument, MapEmitter) throws -> Void)? {
            if case .closure(let body) = self { body } else { nil }
        }
    }

    let version: IndexVersion
    /// Only documents with this `type` are mapped; nil: all.
    let documentType: String?
    let collation: ViewCollation
    let map: Map
    let reduce: Reduce?

    var order: KeyOrder { collation.order }
    var derivedEntries: (any DerivedEntries)? { reduce.map { StoredReduction(reduce: $0) } }

    var readsRevisions: Bool {
        switch map {
        case .closure, .batch: true
        case .definition(let mapper): mapper.readsRevisions
        }
    }

    var takesDesignDocuments: Bool {
        if case .batch(let batch) = map { batch.options.contains(.designDocuments) } else { false }
    }

    func makeRowMaker() -> RowMaker { .groups(self) }

    func map(
        _ group: DocumentChunk.Group,
        of chunk: DocumentChunk,
        into rows: inout EmittedRows
    ) throws(StorageError) -> DocumentChunk.Entry? {
        switch map {
        case .batch(let batch): return try batch.run(group, of: chunk, for: self, into: &rows)
        case .definition(let mapper):
            for entry in group {
                chunk.withID(entry) { id in rows.begin(id, sequence: entry.sequence) }
                if takes(entry, of: chunk) { mapper.map(entry, of: chunk, into: &rows) }
            }
            return nil
        case .closure(let body):
            let emitter = MapEmitter(collation.collator)
            emitter.exchange(&rows)
            defer { emitter.exchange(&rows) }
            return run(body, group, of: chunk, into: emitter)
        }
    }

    private func run(
        _ body: (MapDocument, MapEmitter) throws -> Void,
        _ group: DocumentChunk.Group,
        of chunk: DocumentChunk,
        into emitter: MapEmitter
    ) -> DocumentChunk.Entry? {
        var failed: DocumentChunk.Entry?
        for entry in group {
            chunk.withID(entry) { id in emitter.begin(id, sequence: entry.sequence) }
            guard takes(entry, of: chunk) else { continue }
            emitter.isOpen = true
            do {
                try body(MapDocument(entry, in: chunk), emitter)
            } catch {
                emitter.fail()
                failed = failed ?? entry
            }
            emitter.isOpen = false
        }
        return failed
    }

    /// Whether it is called for a document.
    func takes(_ entry: DocumentChunk.Entry, of chunk: DocumentChunk) -> Bool {
        entry.body != nil && (!entry.isDesign || takesDesignDocuments) && isOfType(entry, chunk)
    }

    private func isOfType(_ entry: DocumentChunk.Entry, _ chunk: DocumentChunk) -> Bool {
        guard let documentType else { return true }
        return MapDocument(entry, in: chunk)["type"]?.stringValue?.utf8.elementsEqual(documentType.utf8) ?? false
    }
}
