public import SetteeDocumentValues
public import SetteeEngine
public import StorageProtocol

/// A row of a query's result: a value of its own, which stays as it was.
///
/// Keys and values are kept as text and parsed at each access.
public struct QueryRow: Sendable, Equatable {
    private let page: RowPage
    private let entry: RowPage.Entry
    /// The revision that was read with the row: for `includeDocs`, and where the value is the whole document.
    private let revision: SavedRevision?
    private let includesDocument: Bool

    init(_ number: Int, of page: RowPage, includesDocument: Bool) {
        self.page = page
        entry = page.entries[number]
        revision = page.revisions[number]
        self.includesDocument = includesDocument
    }

    /// The key: what was emitted, the beginning of it in a grouped row, and null in a reduced row of no group.
    public var key: JSONValue {
        guard let key = entry.key else { return .null }
        return page.value(key)
    }

    /// The value; nil: none was emitted, or the row is grouped and not reduced. JSON's null is a value.
    ///
    /// Where the whole document was emitted, its properties, `_id` and `_rev` among them, as they were when the row was
    /// read; null where it is gone by then.
    public var value: JSONValue? {
        if entry.hasDocumentValue {
            guard let properties = try? revision?.annotatedProperties else { return .null }
            return .object(properties)
        }
        guard let value = entry.value else { return nil }
        return page.value(value)
    }

    /// An element of an array key; the key itself at 0 where it is no array; nil where there is none.
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

    /// The key as canonical JSON, UTF-8; nil in a reduced row of no group.
    public var keyJSON: [UInt8]? { entry.key.map { page.json($0) } }
    /// Lends the key's canonical JSON; nil in a reduced row of no group.
    func withKeyJSON<R>(_ use: (RawSpan) -> R) -> R? { entry.key.map { page.with($0, use) } }

    /// The value as canonical JSON, UTF-8; nil where there is none.
    public var valueJSON: [UInt8]? {
        if entry.hasDocumentValue { return try? value?.canonicalBytes() }
        return entry.value.map { page.json($0) }
    }

    /// The ID of the document that the row is about: the one that the value names by `_id`, else the one that emitted
    /// it. Nil in a grouped or reduced row, and where the value names something that can be no ID.
    public var documentID: DocumentID? {
        guard let source = sourceDocumentID else { return nil }
        if !entry.hasDocumentValue, let named = value?["_id"]?.stringValue { return try? DocumentID(named) }
        return source
    }

    /// The ID of the document that emitted the row; nil in a grouped or reduced row.
    public var sourceDocumentID: DocumentID? { entry.id.flatMap { try? DocumentID(page.text($0)) } }

    /// The current revision of the row's document, as it was when the row was read: of rows over all documents, and
    /// with `includeDocs`. Else nil.
    public var documentRevisionID: RevisionID? {
        if let revision { return revision.id }
        guard page.isOfDocuments, let rev = value?["rev"]?.stringValue else { return nil }
        return try? RevisionID(rev)
    }

    /// Whether that revision is a tombstone; only queries over all documents with `.includeDeleted` give any.
    public var isDeleted: Bool {
        revision?.isDeleted ?? (page.isOfDocuments && value?["deleted"]?.boolValue == true)
    }

    /// The document that the row is about, as a handle.
    public var document: Document? { documentID.map { page.database[$0] } }

    /// The document's current revision at the time when the row was read; nil without `includeDocs`, and where the
    /// value names a document that does not exist or is deleted.
    public var documentRevision: SavedRevision? { includesDocument ? revision : nil }

    /// The sequence of the document that emitted the row, as the index has it; 0 in a grouped or reduced row. Where the
    /// query did not need it, it is looked up when it is asked for, and is 0 where the document has left the index
    /// since.
    public var sequence: UInt64 {
        if entry.sequence != 0 { return entry.sequence }
        guard let index = page.index, let id = entry.id else { return 0 }
        let found = try? page.database.withReadTransaction { (transaction) throws(StorageError) in
            try transaction.indexedSequence(index, try DocumentID(page.text(id)))
        }
        return (found ?? nil) ?? 0
    }

    /// All live leaves of the document that the row is about, the winner first, as they are now; empty in a grouped or
    /// reduced row.
    ///
    /// - Throws: `notOpen` (503), `corrupt` (591).
    public func conflictingRevisions() throws(StorageError) -> [SavedRevision] {
        guard let document else { return [] }
        return try document.conflictingRevisions()
    }

    /// Whether the value does not tell that the document has changed.
    var showsNoContent: Bool { entry.id != nil && (entry.value == nil || entry.hasDocumentValue) }

    /// Same key, value and document. Where there is no value, or it is the whole document, or the document comes with
    /// the row, the same revision of it too, as far as its sequence is known.
    public static func == (a: QueryRow, b: QueryRow) -> Bool {
        guard a.page.areEqual(a.entry.key, b.page, b.entry.key), a.page.areEqual(a.entry.id, b.page, b.entry.id),
            a.page.areEqual(a.entry.value, b.page, b.entry.value), a.entry.hasDocumentValue == b.entry.hasDocumentValue
        else { return false }
        if a.revision?.id != b.revision?.id { return false }
        return a.entry.value != nil && !a.entry.hasDocumentValue || a.entry.sequence == b.entry.sequence
    }
}
