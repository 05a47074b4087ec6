/// Documents are numbered from 0 in the order in which they were begun, rows in the order in which they were added. The
/// rows of a document are consecutive, and the first one has emit number 0.
extension IndexBatch {
    /// Passes the ID of a document to `body`.
    public func withID<R, E: Error>(of document: Int, _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        let place = documents[document]
        return try unsafe withBytes { (bytes) throws(E) in
            try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[place.idStart..<place.idEnd]).bytes)
        }
    }

    /// The sequence of a document.
    public func sequence(of document: Int) -> UInt64 { documents[document].sequence }

    /// The numbers of a document's rows.
    public func rows(of document: Int) -> Range<Int> {
        let end = document + 1 < documents.count ? documents[document + 1].firstRow : rows.count
        return documents[document].firstRow..<end
    }

    /// The number of the document that a row belongs to.
    public func document(ofRow row: Int) -> Int { Int(rows[row].document) }

    /// Passes the parts of a row to `body`, as they were passed to `add`.
    public func withRow<R, E: Error>(
        _ row: Int,
        _ body: (_ key: RawSpan, _ keyJSON: RawSpan, _ valueJSON: RawSpan?) throws(E) -> R
    ) throws(E) -> R {
        let place = rows[row]
        return try unsafe withBytes { (bytes) throws(E) in
            let key = unsafe UnsafeRawBufferPointer(rebasing: bytes[place.start..<place.keyEnd])
            let keyJSON = unsafe UnsafeRawBufferPointer(rebasing: bytes[place.keyEnd..<place.keyJSONEnd])
            guard place.hasValue else { return try unsafe body(key.bytes, keyJSON.bytes, nil) }
            let value = unsafe UnsafeRawBufferPointer(rebasing: bytes[place.keyJSONEnd..<place.valueEnd])
            return try unsafe body(key.bytes, keyJSON.bytes, value.bytes)
        }
    }

    /// Passes the documents to `body` in the order in which they were begun. `rows` are the numbers of a document's
    /// rows.
    public func forEachDocument<E: Error>(
        _ body: (_ id: RawSpan, _ sequence: UInt64, _ rows: Range<Int>) throws(E) -> Void
    ) throws(E) {
        for document in documents.indices {
            try withID(of: document) { (id) throws(E) in try body(id, sequence(of: document), rows(of: document)) }
        }
    }
}
