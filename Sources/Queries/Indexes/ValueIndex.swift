internal import SetteeDocumentValues
internal import SetteeExpressions
internal import SetteeIndexes
internal import StorageProtocol

/// A value index, ready to make rows and to be chosen by a planner.
///
/// Every live document that passes the condition has one row. Its key is the keys of the parts, one behind the other.
/// No part's key is a prefix of another one, so that comparing the bytes compares part by part.
///
/// An object, so that plans and readers that name it are copied at no cost.
final class ValueIndex: Sendable {
    /// One field of the key.
    struct Part: Sendable {
        let path: FieldPath
        /// Whether the bytes of the part are complemented in keys.
        let isComplemented: Bool
    }

    let name: String
    /// The same name, as that of an index of this kind.
    let indexName: IndexName
    /// What decides the rows.
    let version: IndexVersion
    /// The ID of the design document, and the name of the view, that define it; nil: it was made in Swift or the shell.
    let view: (design: String, name: String)?
    let definition: ValueIndexDefinition
    let parts: [Part]
    /// Finds the parts in the stored text, and behind them the fields of the condition.
    let trie: PathTrie
    let condition: MangoSelector?
    /// Whether the directions of all parts are turned around in keys, so that the last part always ascends, as the IDs
    /// of documents with the same key do: an index that is defined as descending is one that ascends, read backwards.
    let isTurned: Bool
    /// The rows of an index in memory, which nobody has defined. They are those of one state of the database.
    let temporary: TemporaryIndex?

    /// - Throws: `badParameter` (495) for no fields, too many, or one twice; `badRequest` (400) for a path or a
    ///   condition that is refused.
    init(
        _ name: String,
        _ definition: ValueIndexDefinition,
        view: (design: String, name: String)? = nil,
        temporary: TemporaryIndex? = nil
    ) throws(StorageError) {
        guard !definition.fields.isEmpty, definition.fields.count <= ValueIndexDefinition.maximumFields else {
            throw StorageError(
                .badParameter,
                "An index has 1 to \(ValueIndexDefinition.maximumFields) fields, not \(definition.fields.count)."
            )
        }
        self.name = name
        self.view = view
        self.temporary = temporary
        indexName = try IndexName(name, of: ValueIndexKind())
        version = IndexVersion(stored: JSONValue.array(["value", 1, .object(definition.json)]).description)
        self.definition = definition
        let isTurned = definition.fields.last?.descending ?? false
        var parts: [Part] = []
        for field in definition.fields {
            let path = try FieldPath(mango: field.field)
            guard !parts.contains(where: { $0.path == path }) else {
                throw StorageError(.badParameter, "An index has the field '\(path.text)' twice. Name it once.")
            }
            parts.append(Part(path: path, isComplemented: field.descending != isTurned))
        }
        self.parts = parts
        self.isTurned = isTurned
        condition = try definition.condition.map { (selector) throws(StorageError) in
            try MangoSelector(.object(selector))
        }
        trie = PathTrie(parts.map(\.path.pointer) + (condition?.paths ?? []))
    }

    /// Whether any part, or the condition, reads the ID of the revision.
    var readsRevisions: Bool {
        parts.contains { $0.path.readsRevision } || condition?.readsRevision ?? false
    }
}
