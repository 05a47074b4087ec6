package import StorageProtocol

/// The listings of an index as all code above a store reads them: they move forward, or fail with `corrupt` (591).
/// Otherwise they are like the requirements of the same kind.
extension IndexReader {
    package func orderedRows(
        _ name: String,
        in range: IndexRange,
        descending: Bool,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var order = IndexRowOrder(range, descending: descending)
        try indexRows(name, in: range, descending: descending) { (row) throws(StorageError) in
            try order.advance(to: row)
            return try body(row)
        }
        try order.end()
    }

    package func orderedEntries(
        _ name: String,
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var order = PositionOrder(range, descending: descending, of: "parts of reductions")
        try indexEntries(name, in: range, descending: descending) { (key, value) throws(StorageError) in
            try order.advance(to: key)
            return try body(key, value)
        }
        try order.end()
    }

    package func orderedDocuments(
        _ name: String,
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        var order = PositionOrder(.all, descending: false, of: "documents of an index")
        try indexDocuments(name, after: nil) { (document) throws(StorageError) in
            try document.withID { (id) throws(StorageError) in try order.advance(to: id) }
            return try body(document)
        }
    }
}
