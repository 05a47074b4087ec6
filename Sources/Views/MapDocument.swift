public import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeIndexes
public import StorageProtocol

/// A document as a map function sees it: its current revision, which is never a tombstone, with the special properties
/// `_id`, `_rev`, `_local_seq`, `_conflicts` (if there are any) and `_attachments`.
///
/// A property is read from the stored text when it is accessed.
public struct MapDocument: Sendable {
    private let chunk: DocumentChunk
    private let entry: DocumentChunk.Entry

    init(_ entry: DocumentChunk.Entry, in chunk: DocumentChunk) {
        self.entry = entry
        self.chunk = chunk
    }

    /// The ID of the document.
    public var id: DocumentID { DocumentID(unchecked: idText) }
    private var idText: String { chunk.text(entry.id) }
    /// The ID of the current revision.
    public var revisionID: String { chunk.text(entry.winner) }
    /// The sequence of the document.
    public var sequence: UInt64 { entry.sequence }
    /// The IDs of the other live leaves, in the order in which they would win; empty if there are none.
    public var conflicts: [String] { entry.conflicts }

    /// A property; nil if there is none.
    ///
    /// - Complexity: O(bytes of the document up to the end of the property).
    public subscript(name: String) -> JSONValue? {
        if name.utf8.first == UInt8(ascii: "_"), let special = special(name) { return special }
        return chunk.withBody(entry) { body in
            guard let range = JSONScanner.range(ofMember: name, in: body) else { return nil }
            return JSONScanner.value(body.extracting(range))
        }
    }

    /// The value at a JSON pointer; nil if there is none. A pointer to a special property as a whole works, too.
    ///
    /// - Complexity: as for a property.
    public subscript(pointer: JSONPointer) -> JSONValue? {
        if let name = pointer.specialName { return special(name) }
        return chunk.withBody(entry) { body in
            guard let range = JSONScanner.range(of: pointer, in: body) else { return nil }
            return JSONScanner.value(body.extracting(range))
        }
    }

    /// All properties, including the special ones, parsed at each access. Complexity: O(bytes).
    public var properties: JSONObject {
        var object = chunk.withBody(entry) { body in JSONScanner.value(body)?.objectValue } ?? [:]
        for name in ["_id", "_rev", "_local_seq", "_conflicts"] {
            if let value = special(name) { object[name] = value }
        }
        return object
    }

    /// A special property that is not part of the stored text.
    private func special(_ name: String) -> JSONValue? {
        switch name {
        case "_id": return .string(idText)
        case "_rev": return .string(revisionID)
        case "_local_seq": return JSONValue(sequence)
        case "_conflicts":
            if conflicts.isEmpty { return nil }
            return .array(conflicts.map { .string($0) })
        default: return nil
        }
    }
}
