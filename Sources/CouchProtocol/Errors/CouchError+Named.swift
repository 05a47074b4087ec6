/// The errors that more than one request answers with. The texts are CouchDB's, where it has one.
extension CouchError {
    /// 400: a malformed request.
    public static func badRequest(_ reason: String) -> CouchError { CouchError(400, "bad_request", reason) }

    /// 400: a malformed option in the query.
    public static func queryParse(_ reason: String) -> CouchError { CouchError(400, "query_parse_error", reason) }

    /// 400: text that is not JSON, or not UTF-8.
    public static var invalidJSON: CouchError { .badRequest("invalid UTF-8 JSON") }

    /// 400: text that is not a revision ID.
    public static var invalidRevision: CouchError { .badRequest("Invalid rev format") }

    /// 400: `rev` and If-Match name different revisions.
    public static var differentRevisions: CouchError {
        .badRequest("Document rev and etag have different values")
    }

    /// 400: a document ID that is not allowed.
    public static func illegalDocumentID(_ reason: String) -> CouchError { CouchError(400, "illegal_docid", reason) }

    /// 400: a database name that is not allowed.
    public static var illegalDatabaseName: CouchError {
        CouchError(
            400,
            "illegal_database_name",
            "Only lowercase characters (a-z), digits (0-9), and any of the characters _, $, (, ), +, -, and / are "
                + "allowed. Must begin with a letter."
        )
    }

    /// 400: a member of a document whose name begins with `_` and is unknown.
    public static func specialMember(_ name: String) -> CouchError {
        CouchError(400, "doc_validation", "Bad special document member: \(name)")
    }

    /// 401: no login, or a wrong one.
    public static var wrongLogin: CouchError { CouchError(401, "unauthorized", "Name or password is incorrect.") }

    /// 401: a request that needs a login, or another one.
    public static func unauthorized(_ reason: String) -> CouchError { CouchError(401, "unauthorized", reason) }

    /// 403: a validation's refusal, or a request that the login does not allow.
    public static func forbidden(_ reason: String) -> CouchError { CouchError(403, "forbidden", reason) }

    /// 404: no such document, revision or path.
    public static var missing: CouchError { CouchError(404, "not_found", "missing") }

    /// 404: the document is deleted.
    public static var deleted: CouchError { CouchError(404, "not_found", "deleted") }

    /// 404: no such database.
    public static var noDatabase: CouchError { CouchError(404, "not_found", "Database does not exist.") }

    /// 404: the document has no such attachment.
    public static var noAttachment: CouchError { CouchError(404, "not_found", "Document is missing attachment") }

    /// 405: the path has no such method. The answer needs an Allow header with `methods`.
    public static func methodNotAllowed(_ methods: [String]) -> CouchError {
        CouchError(405, "method_not_allowed", "Only \(methods.joined(separator: ",")) allowed")
    }

    /// 409: the revision is not the current one.
    public static var conflict: CouchError { CouchError(409, "conflict", "Document update conflict.") }

    /// 410: the database's folder was removed while it was served.
    public static var databaseRemoved: CouchError {
        CouchError(410, "database_removed", "The database was removed from the server's disk. Nothing was written.")
    }

    /// 412: a database of that name exists.
    public static var databaseExists: CouchError {
        CouchError(412, "file_exists", "The database could not be created, the file already exists.")
    }

    /// 412: a stub names content that is not here.
    public static func missingStub(_ reason: String) -> CouchError { CouchError(412, "missing_stub", reason) }

    /// 413: a body, part, document or inflated content over its limit.
    public static var tooLarge: CouchError { CouchError(413, "too_large", "the request entity is too large") }

    /// 414: a request target over its limit.
    public static var targetTooLong: CouchError { CouchError(414, "too_long", "the request uri is too long") }

    /// 415: a body of a kind that the path does not take.
    public static func badContentType(_ reason: String) -> CouchError { CouchError(415, "bad_content_type", reason) }

    /// 415: a POST that is not JSON.
    public static var notJSON: CouchError { .badContentType("Content-Type must be application/json") }

    /// 416: a range beyond the content.
    public static var rangeNotSatisfiable: CouchError {
        CouchError(416, "requested_range_not_satisfiable", "Requested range not satisfiable")
    }

    /// 500: a failure whose details are for the server's log alone.
    public static var internalError: CouchError {
        CouchError(500, "internal_server_error", "The server failed. Its log says why.")
    }

    /// 501: what this server does not do.
    public static func notImplemented(_ reason: String) -> CouchError {
        CouchError(501, "not_implemented", reason)
    }

    /// 503: too much to do, closing, or busy. The answer needs a Retry-After header.
    public static var unavailable: CouchError {
        CouchError(503, "service_unavailable", "The server is busy. Try again later.")
    }

    /// 503: the database's folder was replaced while it was served. The answer needs a Retry-After header.
    public static var databaseReplaced: CouchError {
        CouchError(
            503,
            "database_replaced",
            "The database was replaced on the server's disk. Nothing was written. Read from it before you try again."
        )
    }

    /// 507: the disk is full.
    public static var insufficientStorage: CouchError {
        CouchError(507, "insufficient_storage", "The server has no space left.")
    }
}
