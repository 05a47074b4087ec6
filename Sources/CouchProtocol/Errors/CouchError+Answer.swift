public import SetteeDocumentValues
public import StorageProtocol

/// For clients: errors as another server answers them.
extension CouchError {
    /// Reads an answer that is not a success. Proxies answer with something other than JSON; then the status speaks.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - body: The first bytes of the body, as many as the client wants to hold.
    public init(status: Int, body: [UInt8]) {
        self.init(status: status, members: (try? JSONValue(parsing: body))?.objectValue ?? JSONObject())
    }

    /// Reads the row of an answer about many documents: nil if it is not that of an error.
    ///
    /// Rows of CouchDB have no status, so that the name stands for one.
    public init?(row: JSONObject) {
        guard let name = row["error"]?.stringValue else { return nil }
        let status = row["status"]?.intValue.flatMap { Int(exactly: $0) } ?? CouchError.status(of: name)
        self.init(status: status, members: row)
    }

    private init(status: Int, members: JSONObject) {
        self.init(
            status,
            members["error"]?.stringValue ?? "unknown_error",
            members["reason"]?.stringValue ?? ""
        )
    }

    private static func status(of name: String) -> Int {
        switch name {
        case "bad_request", "illegal_docid", "doc_validation", "query_parse_error": 400
        case "unauthorized": 401
        case "forbidden": 403
        case "not_found": 404
        case "conflict": 409
        case "missing_stub", "file_exists", "precondition_failed": 412
        case "too_large", "document_too_large", "attachment_too_large": 413
        case "service_unavailable": 503
        case "insufficient_storage": 507
        default: 500
        }
    }

    /// The error as the database's own calls throw it.
    ///
    /// The other server's reason is kept only where it is a validation's message (403): others may name documents.
    public var storageError: StorageError {
        let isPlain =
            1...40 ~= error.utf8.count
            && error.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") }
        var message = "The other database answered \(status)"
        if isPlain { message += " \(error)" }
        if status == 403, !reason.isEmpty { message += ": \(String(decoding: reason.utf8.prefix(500), as: UTF8.self))" }
        return StorageError(code, message + ".")
    }

    private var code: StorageError.Code {
        switch (status, error) {
        case (400, "illegal_docid"), (400, "illegal_database_name"): .badID
        case (400, "doc_validation"): .badJSON
        case (400, "query_parse_error"), (416, _): .badParameter
        case (401, _): .unauthorized
        case (403, _): .rejected
        case (404, _): reason.utf8.elementsEqual("deleted".utf8) ? .deleted : .notFound
        case (409, _): .conflict
        case (412, "missing_stub"): .attachmentNotFound
        case (412, _): .exists
        case (413, _), (414, _): .tooLarge
        case (423, _): .inUse
        case (429, _), (503, _): .busy
        case (501, _): .notImplemented
        case (507, _): .full
        case (400..<500, _): .badRequest
        default: .unexpected
        }
    }
}
