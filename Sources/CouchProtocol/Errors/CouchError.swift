public import SetteeDocumentValues
public import StorageProtocol

/// An answer that refuses a request, as CouchDB words it: an HTTP status, a short name and a reason.
///
/// Names and reasons are those of CouchDB 3 (`error_info` in src/chttpd/src/chttpd.erl), because clients compare them.
/// They hold no document content. All parsers of this module throw it.
///
/// ```swift
/// throw CouchError.missing                       // 404 {"error":"not_found","reason":"missing"}
/// let answer = CouchError(storageError, about: .database)
/// ```
public struct CouchError: Error, Equatable, Sendable {
    /// The HTTP status, 400 to 599.
    public var status: Int
    /// The name of the kind of error, as `not_found`.
    public var error: String
    /// What failed, for people.
    public var reason: String
    /// What failed in the database, where the client is not told. For the server's log; errors are compared without.
    public var cause: StorageError?

    public init(_ status: Int, _ error: String, _ reason: String) {
        self.status = status
        self.error = error
        self.reason = reason
    }

    public static func == (a: CouchError, b: CouchError) -> Bool {
        a.status == b.status && a.error.utf8.elementsEqual(b.error.utf8) && a.reason.utf8.elementsEqual(b.reason.utf8)
    }

    /// The body of the answer: `{"error":...,"reason":...}` and a line feed.
    public var body: [UInt8] {
        var bytes: [UInt8] = Array("{\"error\":".utf8)
        JSONText.append(error, to: &bytes)
        bytes.append(contentsOf: ",\"reason\":".utf8)
        JSONText.append(reason, to: &bytes)
        bytes.append(contentsOf: "}\n".utf8)
        return bytes
    }

    /// The row of an answer about many documents (`_bulk_docs`, `_bulk_get`).
    ///
    /// - Parameters:
    ///   - id: The document's ID, if one is known.
    ///   - rev: The revision as the client named it, if it did.
    public func row(id: DocumentID?, rev: String? = nil) -> JSONObject {
        var row: JSONObject = ["error": .string(error), "reason": .string(reason), "status": JSONValue(status)]
        if let id { row["id"] = .string(id.string) }
        if let rev { row["rev"] = .string(rev) }
        return row
    }

    /// Whether the answer should carry a Retry-After header: the same request may succeed later.
    public var isRetryable: Bool { status == 503 || status == 429 }
}

extension CouchError: CustomStringConvertible {
    public var description: String { "\(status) \(error): \(reason)" }
}
