internal import Settee

extension QueryRow {
    /// Returns a line of JSON.
    ///
    /// - Parameter includesDocument: whether the row was read with its document.
    func line(includesDocument: Bool) throws(StorageError) -> JSONLine {
        var line = JSONLine().json("key", keyJSON ?? Array("null".utf8))
        if let valueJSON { line = line.json("value", valueJSON) }
        guard let documentID else { return line }
        line = line.string("id", documentID.string)
        if let sourceDocumentID, sourceDocumentID != documentID {
            line = line.string("source", sourceDocumentID.string)
        }
        guard includesDocument else { return line }
        let document = try documentRevision?.annotatedProperties.canonicalBytes()
        return line.json("doc", document ?? Array("null".utf8))
    }

    /// Returns the cells of a table row: key, value, ID, document.
    func cells(includesDocument: Bool) -> [String] {
        var cells = [keyJSON, valueJSON].map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "" }
        guard let documentID else { return cells }
        cells.append(documentID.string)
        if includesDocument {
            cells.append(documentRevision.map { String(decoding: $0.json, as: UTF8.self) } ?? "")
        }
        return cells
    }
}
