internal import SetteeEngine
internal import SetteeIndexes
internal import StorageProtocol

/// A `BatchMapper` with its options.
struct BatchMap: Sendable {
    let mapper: any BatchMapper
    let options: BatchOptions

    /// Adds the rows of documents that a function takes; the others have none.
    ///
    /// - Returns: a document for which the function failed.
    /// - Throws: what `BatchMapper.map` throws.
    func run(
        _ group: DocumentChunk.Group,
        of chunk: DocumentChunk,
        for function: ViewFunction,
        into rows: inout EmittedRows
    ) throws(StorageError) -> DocumentChunk.Entry? {
        let entries = group.map { (entry: $0, isTaken: function.takes($0, of: chunk)) }
        let documents = entries.filter(\.isTaken).map { chunk.json($0.entry, options) }
        let outcomes = documents.isEmpty ? [] : try mapper.map(documents)
        guard outcomes.count == documents.count else {
            throw StorageError(.unexpected, "A map function returned rows of other documents than it was given.")
        }
        var failed: DocumentChunk.Entry?
        var next = outcomes.makeIterator()
        for (entry, isTaken) in entries {
            chunk.withID(entry) { id in rows.begin(id, sequence: entry.sequence) }
            guard isTaken, let outcome = next.next() else { continue }
            if case .success(let emitted) = outcome {
                for row in emitted {
                    unsafe rows.add(keyJSON: row.key.span.bytes, valueJSON: row.value.span.bytes)
                }
            } else {
                rows.fail()
                failed = failed ?? entry
            }
        }
        return failed
    }
}
