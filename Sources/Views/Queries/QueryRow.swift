public import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

/// A row of the result of a query: a value that does not change when the database does.
///
/// The key and the value are kept as text and parsed at each access.
public struct QueryRow: Sendable, Equatable {
    private let page: RowPage
    private let entry: RowPage.Entry
    /// The revision that was read with the row: for `includeDocs`, and if the value is the whole document.
    private let revision: SavedRevision?
    private let includesDocument: Bool

    init(_ number: Int, of page: RowPage, includesDocument: Bool) {
        self.page = page
        entry = page.entries[number]
        revision = page.revisions[number]
        self.includesDocument = includesDocument
    }

    /// The bytes of the document that comes with the row; nil if none does.
    var documentSize: Int? { includesDocument ? revision?.json.count : nil }

    /// The key: what was emitted; in a grouped row, its prefix; null in a reduced row without a group.
    public var key: JSONValue {
        guard let key = entry.key else { return .null }
        return page.value(key)
    }

    /// The value; nil if none was emitted, or the row is grouped and not reduced. The JSON value null is a value.
    ///
    /// If the whole document was emitted, its properties, including `_id` and `_rev`, as they were when the row was
    /// read; null if the document no longer existed then.
    public var value: JSONValue? {
        if entry.hasDocumentValue {
            guard let properties = try? revision?.annotatedProperties else { return .null }
            return .object(properties)
        }
        guard let value = entry.value else { return nil }
        return page.value(value)
    }

    /// An element of an array key. At 0 the key itself if it is not an array; nil if there is no such element.
    public func key(at index: Int) -> JSONValue? {
        switch key {
        case .array(let elements):
            guard elements.indices.contains(index) else { return nil }
            return elements[index]
        case let key:
            guard index == 0, entry.key != nil else { return nil }
            return key
        }
    }

    /// The key as canonical JSON in UTF-8; nil in a reduced row without a group.
    public var keyJSON: [UInt8]? { entry.key.map { page.json($0) } }
    /// Lends the canonical JSON of the key; nil in a reduced row without a group.
    package func withKeyJSON<R>(_ use: (RawSpan) -> R) -> R? { entry.key.map { page.with($0, use) } }

    /// The value as canonical JSON in UTF-8; nil if there is none.
    public var valueJSON: [UInt8]? {
        if entry.hasDocumentValue { return try? value?.canonicalBytes() }
        return entry.value.map { page.json($0) }
    }

    /// Lends the canonical JSON of the value; nil if there is none.
    package func withValueJSON<R>(_ use: (RawSpan) -> R) -> R? {
        entry.hasDocumentValue ? withDocumentJSON(use) : entry.value.map { page.with($0, use) }
    }

    private func withDocumentJSON<R>(_ use: (RawSpan) -> R) -> R? {
        guard let json = try? value?.canonicalBytes() else { return nil }
        return unsafe use(json.span.bytes)
    }

    /// The ID of the document that the row is about: the one that the value names by `_id`, or else the one that
    /// emitted it. Nil in a grouped or reduced row, and if the value names something that cannot be an ID.
    public var documentID: DocumentID? {
        guard let source = sourceDocumentID else { return nil }
        if !entry.hasDocumentValue, let named = value?["_id"]?.stringValue { return try? DocumentID(named) }
        return source
    }

    /// The ID of the document that emitted the row; nil in a grouped or reduced row.
    public var sourceDocumentID: DocumentID? { entry.id.flatMap { try? DocumentID(page.text($0)) } }

    /// The current revision of the document of the row, at the time when the row was read: for rows over all documents,
    /// and with `includeDocs`. Otherwise nil.
    public var documentRevisionID: RevisionID? {
        if let revision { return revision.id }
        guard page.isOfDocuments, let rev = value?["rev"]?.stringValue else { return nil }
        return try? RevisionID(rev)
    }

    /// Whether that revision is a tombstone. Only queries over all documents with `.includeDeleted` return any.
    public var isDeleted: Bool {
        revision?.isDeleted ?? (page.isOfDocuments && value?["deleted"]?.boolValue == true)
    }

    /// A handle for the document that the row is about.
    public var document: Document? { documentID.map { page.database[$0] } }

    /// The current revision of the document at the time when the row was read; nil without `includeDocs`, and if the
    /// value names a document that does not exist or is deleted.
    public var documentRevision: SavedRevision? { includesDocument ? revision : nil }

    /// The sequence of the document that emitted the row, as recorded in the index; 0 in a grouped or reduced row. If
    /// the query did not need it, it is looked up when it is accessed, and is 0 if the document has left the index
    /// since.
    public var sequence: UInt64 {
        if entry.sequence != 0 { return entry.sequence }
        guard let index = page.index, let id = entry.id else { return 0 }
        let found = try? page.database.withReadTransaction { (transaction) throws(StorageError) in
            try transaction.indexedSequence(index, try DocumentID(page.text(id)))
        }
        return (found ?? nil) ?? 0
    }

    /// Returns all live leaves of the document that the row is about, the winner first, in their current state; empty
    /// in a grouped or reduced row.
    ///
    /// - Throws: `notOpen` (503), `corrupt` (591).
    public func conflictingRevisions() throws(StorageError) -> [SavedRevision] {
        guard let document else { return [] }
        return try document.conflictingRevisions()
    }

    /// Whether the value does not show that the document has changed.
    var showsNoContent: Bool { entry.id != nil && (entry.value == nil || entry.hasDocumentValue) }

    /// Equal rows have the same key, value and document. If there is no value, or it is the whole document, or the
    /// document comes with the row, they also have the same revision of it, as far as its sequence is known.
    public static func == (a: QueryRow, b: QueryRow) -> Bool {
        guard a.page.areEqual(a.entry.key, b.page, b.entry.key), a.page.areEqual(a.entry.id, b.page, b.entry.id),
            a.page.areEqual(a.entry.value, b.page, b.entry.value), a.entry.hasDocumentValue == b.entry.hasDocumentValue
        else { return false }
        if a.revision?.id != b.revision?.id { return false }
        return a.entry.value != nil && !a.entry.hasDocumentValue || a.entry.sequence == b.entry.sequence
    }
}
