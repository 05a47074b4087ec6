internal import SetteeDocumentValues
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// Makes rows of a value index. Keeps its memory from one document to the next.
struct ValueIndexRowMaker {
    /// A part of the key, with what making it needs: a `FieldPath` is not copied for each document.
    private struct Part {
        /// Whether the path leads to a member of the body.
        let isOfBody: Bool
        let comparesRaw: Bool
        let isComplemented: Bool
    }

    private let index: ValueIndex
    private let parts: [Part]
    /// The sort key made last.
    private(set) var key: [UInt8] = []
    /// The text of the key made last.
    private var text: [UInt8] = []

    init(_ index: ValueIndex) {
        self.index = index
        parts = index.parts.map { part in
            Part(
                isOfBody: part.path.isOfBody,
                comparesRaw: part.path.comparesRaw,
                isComplemented: part.isComplemented
            )
        }
    }

    /// Adds the row of a document, if it has one.
    mutating func addRow(
        _ body: RawSpan,
        _ found: FoundPlaces,
        _ id: RawSpan,
        _ revision: RawSpan,
        to rows: inout EmittedRows
    ) throws(StorageError) {
        guard try make(body, found, id, revision) else { return }
        unsafe rows.add(sortKey: key.span.bytes, keyJSON: text.span.bytes, valueJSON: nil)
    }

    /// Makes the key of a document and its text.
    ///
    /// - Parameter found: what the index's trie finds in the body.
    /// - Returns: false if the document has no row.
    mutating func make(
        _ body: RawSpan,
        _ found: FoundPlaces,
        _ id: RawSpan,
        _ revision: RawSpan
    ) throws(StorageError) -> Bool {
        key.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
        var isIndexable = true
        if let condition = index.condition {
            do throws(StorageError) {
                let fields = found.suffix(from: parts.count)
                guard try condition.matches(body, fields, id: id, revision: revision) else { return false }
            } catch {
                // One that takes too long to be judged is left to queries, which fail for it then.
                guard error.code == .badRequest || error.code == .tooLarge else { throw error }
                isIndexable = false
            }
        }
        for number in parts.indices where isIndexable {
            let part = parts[number]
            if part.isOfBody {
                if let place = found[number] {
                    isIndexable = try append(body.extracting(place), part)
                } else {
                    isIndexable = try append(nil, part)
                }
            } else {
                isIndexable = try index.parts[number].path.withValue(of: body, id: id, revision: revision) {
                    (value) throws(StorageError) in
                    try append(value, part)
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
    private mutating func append(_ value: RawSpan?, _ part: Part) throws(StorageError) -> Bool {
        text.append(text.isEmpty ? UInt8(ascii: "[") : UInt8(ascii: ","))
        if let value {
            unsafe value.withUnsafeBytes { unsafe text.append(contentsOf: $0) }
        } else {
            text.append(contentsOf: "null".utf8)
        }
        return try PartKey.append(
            value,
            raw: part.comparesRaw,
            isComplemented: part.isComplemented,
            to: &key
        )
    }
}
