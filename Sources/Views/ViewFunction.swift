internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A map function with its version, collation and reduce function, as set or loaded in this process.
struct ViewFunction: Sendable {
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

    let version: ViewVersion
    /// Only documents with this `type` are mapped; nil: all.
    let documentType: String?
    let collation: ViewCollation
    let map: Map
    let reduce: Reduce?

    /// Whether it may read the IDs of documents' revisions.
    var readsRevisions: Bool {
        switch map {
        case .closure, .batch: true
        case .definition(let mapper): mapper.readsRevisions
        }
    }

    /// Whether it is called for design documents.
    var takesDesignDocuments: Bool {
        if case .batch(let batch) = map { batch.options.contains(.designDocuments) } else { false }
    }

    /// Adds the rows of documents, none for one for which the function fails.
    ///
    /// - Returns: a document for which it failed.
    /// - Throws: an error that ends the update.
    func run(
        _ entries: some Sequence<DocumentChunk.Entry>,
        of chunk: DocumentChunk,
        into emitter: MapEmitter
    ) throws(StorageError) -> DocumentChunk.Entry? {
        var failed: DocumentChunk.Entry?
        switch map {
        case .batch(let batch): return try batch.run(entries, of: chunk, for: self, into: emitter)
        case .definition(let mapper):
            for entry in entries {
                chunk.withID(entry) { id in emitter.begin(id, sequence: entry.sequence) }
                if takes(entry, of: chunk) { mapper.map(entry, of: chunk, into: emitter) }
            }
        case .closure(let body):
            for entry in entries {
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
