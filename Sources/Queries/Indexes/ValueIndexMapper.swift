internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Makes the row of each document of a value index from its stored text.
///
/// The key's JSON is the array of the fields, with null for a missing one: the sort key tells the two apart. For a
/// document with a value that is too large it is null, and the sort key `PartKey.unindexable`.
struct ValueIndexMapper: RowMapper {
    let index: ValueIndex

    static let order = KeyOrder(partsBy: .unicode) { sortKey, keyJSON in
        // Which parts are complemented is not known here. That the rows are those of the documents is checked beside.
        sortKey.byteCount > 0 && keyJSON.byteCount > 0
    }

    init(_ index: ValueIndex) { self.index = index }

    var version: IndexVersion { index.version }
    var order: KeyOrder { ValueIndexMapper.order }
    var readsRevisions: Bool { index.readsRevisions }

    func map(
        _ group: DocumentChunk.Group,
        of chunk: DocumentChunk,
        into rows: inout EmittedRows
    ) throws(StorageError) -> DocumentChunk.Entry? {
        var key: [UInt8] = []
        var text: [UInt8] = []
        var places = PathPlaces()
        for entry in group {
            chunk.withID(entry) { id in rows.begin(id, sequence: entry.sequence) }
            guard entry.body != nil, !entry.isDesign else { continue }
            try chunk.withBody(entry) { (body) throws(StorageError) in
                try chunk.withID(entry) { (id) throws(StorageError) in
                    try chunk.withWinner(entry) { (winner) throws(StorageError) in
                        guard try makeRow(body, id, winner, &places, &key, &text) else { return }
                        unsafe rows.add(sortKey: key.span.bytes, keyJSON: text.span.bytes, valueJSON: nil)
                    }
                }
            }
        }
        return nil
    }

    /// - Returns: false if the document has no row.
    func makeRow(
        _ body: RawSpan,
        _ id: RawSpan,
        _ revision: RawSpan,
        _ places: inout PathPlaces,
        _ key: inout [UInt8],
        _ text: inout [UInt8]
    ) throws(StorageError) -> Bool {
        key.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
        text.append(UInt8(ascii: "["))
        var isIndexable = true
        if let condition = index.condition {
            do throws(StorageError) {
                guard try condition.matches(body, id: id, revision: revision) else { return false }
            } catch {
                // One that takes too long to be judged is left to queries, which fail for it then.
                guard error.code == .badRequest || error.code == .tooLarge else { throw error }
                isIndexable = false
            }
        }
        if isIndexable { index.trie.locate(in: body, &places) }
        for (number, part) in index.parts.enumerated() where isIndexable {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            if part.path.isOfBody {
                if let place = places[index.trie.number(number)] {
                    isIndexable = try append(body.extracting(place), part, &key, &text)
                } else {
                    isIndexable = try append(nil, part, &key, &text)
                }
            } else {
                isIndexable = try part.path.withValue(of: body, id: id, revision: revision) {
                    (value) throws(StorageError) in
                    try append(value, part, &key, &text)
                }
            }
            if key.count > Collator.maximumKeyLength { isIndexable = false }
        }
        if isIndexable {
            text.append(UInt8(ascii: "]"))
        } else {
            key = [PartKey.unindexable]
            text = Array("null".utf8)
        }
        return true
    }

    /// Appends a field to the key and to its JSON.
    ///
    /// - Returns: false for a value with too long a key.
    private func append(
        _ value: RawSpan?,
        _ part: ValueIndex.Part,
        _ key: inout [UInt8],
        _ text: inout [UInt8]
    ) throws(StorageError) -> Bool {
        if let value {
            unsafe value.withUnsafeBytes { unsafe text.append(contentsOf: $0) }
        } else {
            text.append(contentsOf: "null".utf8)
        }
        return try PartKey.append(
            value,
            raw: part.path.comparesRaw,
            isComplemented: part.isComplemented,
            to: &key
        )
    }
}
