internal import SetteeExpressions
internal import StorageProtocol

/// The keys that rows are sorted by: comparing the bytes compares the fields of the order one after the other.
struct SortKeys: Sendable {
    private let parts: [ValueIndex.Part]
    /// Whether documents that are equal in all fields are ordered from the last ID to the first.
    let descendingIDs: Bool

    init(_ order: [(path: FieldPath, descending: Bool)]) {
        parts = order.map { ValueIndex.Part(path: $0.path, isComplemented: $0.descending) }
        descendingIDs = order.last?.descending ?? false
    }

    /// Whether the fields are those of documents' revisions, too.
    var readsRevisions: Bool { parts.contains { $0.path.readsRevision } }

    func key(of body: RawSpan, id: RawSpan, revision: RawSpan) throws(StorageError) -> [UInt8] {
        var key: [UInt8] = []
        for part in parts {
            let isThere = try part.path.withValue(of: body, id: id, revision: revision) {
                (text) throws(StorageError) in
                try PartKey.append(text, raw: part.path.comparesRaw, isComplemented: part.isComplemented, to: &key)
            }
            if !isThere { key.append(part.isComplemented ? ~PartKey.beyond : PartKey.beyond) }
        }
        return key
    }

    /// Whether one row comes before another.
    func precedes(_ a: FindPosition, _ b: FindPosition) -> Bool {
        if a.key != b.key { return a.key.lexicographicallyPrecedes(b.key) }
        return descendingIDs ? b.id.lexicographicallyPrecedes(a.id) : a.id.lexicographicallyPrecedes(b.id)
    }
}
