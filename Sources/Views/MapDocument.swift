public import SetteeDocumentValues
internal import SetteeEngine
public import StorageProtocol

/// A document as a map function sees it: its current revision, which is no tombstone, with the special properties
/// `_id`, `_rev`, `_local_seq`, `_conflicts` (where there are any) and `_attachments`.
///
/// Properties are read out of the stored text when they are asked for.
public struct MapDocument: Sendable {
    private let chunk: DocumentChunk
    private let entry: DocumentChunk.Entry

    init(_ entry: DocumentChunk.Entry, in chunk: DocumentChunk) {
        self.entry = entry
        self.chunk = chunk
    }

    /// The document's ID.
    public var id: DocumentID { DocumentID(unchecked: idText) }
    private var idText: String { chunk.text(entry.id) }
    /// The current revision's ID.
    public var revisionID: String { chunk.text(entry.winner) }
    /// The document's sequence.
    public var sequence: UInt64 { entry.sequence }
    /// The IDs of the other live leaves, in the order in which they would win; empty where there are none.
    public var conflicts: [String] { entry.conflicts }

    /// A property, nil where there is none.
    ///
    /// - Complexity: O(bytes of the document up to the end of the property).
    public subscript(name: String) -> JSONValue? {
        if name.utf8.first == UInt8(ascii: "_"), let special = special(name) { return special }
        return chunk.withBody(entry) { body in
            guard let range = JSONScanner.range(ofMember: name, in: body) else { return nil }
            return JSONScanner.value(body.extracting(range))
        }
    }

    /// The value at a place, nil where there is none. A pointer to nothing but a special property works too.
    ///
    /// - Complexity: as for a property.
    public subscript(pointer: JSONPointer) -> JSONValue? {
        if let name = pointer.specialName { return special(name) }
        return chunk.withBody(entry) { body in
            guard let range = JSONScanner.range(of: pointer, in: body) else { return nil }
            return JSONScanner.value(body.extracting(range))
        }
    }

    /// All properties, the special ones among them, parsed at each call. Complexity: O(bytes).
    public var properties: JSONObject {
        var object = chunk.withBody(entry) { body in JSONScanner.value(body)?.objectValue } ?? [:]
        for name in ["_id", "_rev", "_local_seq", "_conflicts"] {
            if let value = special(name) { object[name] = value }
        }
        return object
    }

    /// A special property that is no part of the stored text.
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
