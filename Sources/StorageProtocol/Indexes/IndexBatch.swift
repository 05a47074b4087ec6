/// Rows that documents emitted into one index, in one block of memory.
///
/// A batch is filled document by document: `begin`, then `add` for each row, in the order of their emit numbers.
/// Filling it allocates no memory once the batch has grown large enough; `removeAll` keeps the memory.
public struct IndexBatch: Sendable {
    /// A document and the location of its parts.
    package struct Document: Sendable {
        package var sequence: UInt64
        package var firstRow: Int
        package var idStart: Int
        package var idEnd: Int
        /// The emit number of its first row here.
        package var firstEmit: UInt32 = 0
    }

    /// A row. Its key, the key's text and the value follow one another.
    package struct Row: Sendable {
        package var start: Int
        package var keyEnd: Int
        package var keyJSONEnd: Int
        package var valueEnd: Int
        package var document: UInt32
        package var hasValue: Bool
    }

    /// The bytes of IDs and rows up to `byteCount`; the rest is spare room.
    private var bytes: [UInt8] = []
    /// The total length of the IDs and rows in bytes.
    public private(set) var byteCount = 0
    private(set) var documents: [Document] = []
    private(set) var rows: [Row] = []

    public init() {}

    /// Whether the documents' IDs ascend in the order in which they were begun.
    package private(set) var hasAscendingIDs = true

    /// How many documents were begun.
    public var documentCount: Int { documents.count }
    /// How many rows there are.
    public var rowCount: Int { rows.count }
    /// Roughly how many bytes of memory its documents and rows take.
    package var memory: Int {
        byteCount + documents.count * MemoryLayout<Document>.stride + rows.count * MemoryLayout<Row>.stride
    }
    /// Whether no document was begun.
    public var isEmpty: Bool { documents.isEmpty }

    /// Begins a document, to which the rows added next belong. A document without rows is removed from the index.
    ///
    /// - Parameter sequence: The document's sequence when its rows were made.
    public mutating func begin(_ id: RawSpan, sequence: UInt64) {
        precondition(documents.count < Int(UInt32.max), "a batch of 2^32 documents")
        if hasAscendingIDs, let last = documents.last {
            hasAscendingIDs = unsafe compareBytes(bytes.span.bytes.extracting(last.idStart..<last.idEnd), id) < 0
        }
        let start = byteCount
        reserve(id.byteCount)
        append(id)
        documents.append(Document(sequence: sequence, firstRow: rows.count, idStart: start, idEnd: byteCount))
    }

    /// Adds a single row of any document, with any emit number, as required by `IndexLoad(sortedRows:)`.
    public mutating func add(_ row: borrowing IndexRowView) {
        row.withID { begin($0, onlyRow: row.emit) }
        row.withKey { key in
            row.withKeyJSON { keyJSON in
                let hasValue: Void? = row.withValueJSON { add(key: key, keyJSON: keyJSON, valueJSON: $0) }
                if hasValue == nil { add(key: key, keyJSON: keyJSON, valueJSON: nil) }
            }
        }
    }

    /// Adds a document with the keys of its rows, as required by `IndexLoad(sortedDocuments:)`.
    public mutating func add(_ document: borrowing IndexDocumentView) {
        document.withID { begin($0, sequence: document.sequence) }
        let none: [UInt8] = []
        for emit in 0..<document.rowCount {
            document.withKey(emit) { unsafe add(key: $0, keyJSON: none.span.bytes, valueJSON: nil) }
        }
    }

    /// Begins a document with only one row, whose emit number need not be 0.
    package mutating func begin(_ id: RawSpan, onlyRow emit: UInt32) {
        begin(id, sequence: 0)
        documents[documents.count - 1].firstEmit = emit
    }

    /// Adds a row to the document begun last.
    ///
    /// - Parameters:
    ///   - key: The sort key.
    ///   - keyJSON: The emitted key as JSON text.
    ///   - valueJSON: The emitted value as JSON text; nil: no value was emitted (not the same as JSON null).
    public mutating func add(key: RawSpan, keyJSON: RawSpan, valueJSON: RawSpan?) {
        precondition(!documents.isEmpty, "a row without a document")
        let start = byteCount
        let keyEnd = start + key.byteCount
        let keyJSONEnd = keyEnd + keyJSON.byteCount
        reserve(keyJSONEnd - start + (valueJSON?.byteCount ?? 0))
        append(key)
        append(keyJSON)
        if let valueJSON { append(valueJSON) }
        rows.append(
            Row(
                start: start,
                keyEnd: keyEnd,
                keyJSONEnd: keyJSONEnd,
                valueEnd: byteCount,
                document: UInt32(documents.count - 1),
                hasValue: valueJSON != nil
            )
        )
    }

    /// Removes the rows of the document begun last. The document stays, without rows.
    public mutating func cancel() {
        guard let document = documents.last else { return }
        rows.removeSubrange(document.firstRow...)
        byteCount = document.idEnd
    }

    /// Removes everything. The memory is kept for reuse.
    public mutating func removeAll() {
        byteCount = 0
        hasAscendingIDs = true
        documents.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
    }

    /// Passes the bytes of all IDs and rows to `body`.
    func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe bytes.span.bytes.withUnsafeBytes(body)
    }

    /// Makes room for some bytes behind the present ones.
    @inline(__always)
    private mutating func reserve(_ count: Int) {
        let missing = byteCount + count - bytes.count
        if missing > 0 { grow(by: max(missing, bytes.count)) }
    }

    @inline(never)
    private mutating func grow(by count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

    /// Appends bytes for which there is room.
    @inline(__always)
    private mutating func append(_ more: RawSpan) {
        unsafe bytes.withUnsafeMutableBytes { target in
            unsafe more.withUnsafeBytes { source in
                let end = byteCount + source.count
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[byteCount..<end]).copyMemory(from: source)
            }
        }
        byteCount += more.byteCount
    }
}
