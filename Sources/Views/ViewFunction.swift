internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A map function with its version, collation and reduce function, as set or loaded in this process.
struct ViewFunction: Sendable {
    /// What makes the rows of a document.
    enum Map: Sendable {
        case closure(@Sendable (MapDocument, MapEmitter) throws -> Void)
        case definition(DefinitionMapper)

        /// The map function if this program has set it; nil for a stored definition.
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
        case .closure: true
        case .definition(let mapper): mapper.readsRevisions
        }
    }

    /// Adds the rows of a document. Adds nothing if the function throws.
    ///
    /// - Returns: false if the function threw.
    func run(_ entry: DocumentChunk.Entry, of chunk: DocumentChunk, into emitter: MapEmitter) -> Bool {
        chunk.withID(entry) { id in emitter.begin(id, sequence: entry.sequence) }
        guard entry.body != nil, isOfType(entry, chunk) else { return true }
        switch map {
        case .definition(let mapper):
            mapper.map(entry, of: chunk, into: emitter)
        case .closure(let body):
            emitter.isOpen = true
            defer { emitter.isOpen = false }
            do {
                try body(MapDocument(entry, in: chunk), emitter)
            } catch {
                emitter.fail()
                return false
            }
        }
        return true
    }

    private func isOfType(_ entry: DocumentChunk.Entry, _ chunk: DocumentChunk) -> Bool {
        guard let documentType else { return true }
        return MapDocument(entry, in: chunk)["type"]?.stringValue?.utf8.elementsEqual(documentType.utf8) ?? false
    }
}
