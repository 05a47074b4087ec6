import Foundation
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol
internal import Testing

@Suite struct ErrorTests {
    static let storage: [(StorageError.Code, ErrorSubject, Int, String, String)] = [
        (.badRequest, .document, 400, "bad_request", "M."), (.badParameter, .document, 400, "bad_request", "M."),
        (.badAttachment, .attachment, 400, "bad_request", "M."), (.badJSON, .document, 400, "bad_request", "M."),
        (.badEncoding, .document, 400, "bad_request", "invalid UTF-8 JSON"),
        (.badID, .document, 400, "illegal_docid", "M."), (.unauthorized, .database, 401, "unauthorized", "M."),
        (.readOnly, .database, 403, "forbidden", "M."), (.rejected, .document, 403, "forbidden", "M."),
        (.rejected(status: 401), .document, 401, "unauthorized", "M."),
        (.rejected(status: 422), .document, 422, "forbidden", "M."),
        (.rejected(status: 500), .document, 500, "internal_server_error", "M."),
        (.notFound, .document, 404, "not_found", "missing"),
        (.notFound, .database, 404, "not_found", "Database does not exist."),
        (.notFound, .attachment, 404, "not_found", "Document is missing attachment"),
        (.deleted, .document, 404, "not_found", "deleted"),
        (.conflict, .document, 409, "conflict", "Document update conflict."),
        (
            .exists, .database, 412, "file_exists",
            "The database could not be created, the file already exists."
        ),
        (.exists, .document, 412, "precondition_failed", "M."),
        (.superseded, .document, 412, "precondition_failed", "M."),
        (.attachmentNotFound, .document, 412, "missing_stub", "M."),
        (.tooLarge, .document, 413, "too_large", "the request entity is too large"),
        (.notImplemented, .document, 501, "not_implemented", "M."),
        (.inUse, .database, 503, "service_unavailable", "The server is busy. Try again later."),
        (.busy, .document, 503, "service_unavailable", "The server is busy. Try again later."),
        (.notOpen, .database, 503, "service_unavailable", "The server is busy. Try again later."),
        (.cancelled, .database, 503, "service_unavailable", "The server is busy. Try again later."),
        (.full, .document, 507, "insufficient_storage", "The server has no space left."),
    ]

    @Test(arguments: storage)
    func answersForTheEngine(
        code: StorageError.Code,
        subject: ErrorSubject,
        status: Int,
        error: String,
        reason: String
    ) {
        #expect(CouchError(StorageError(code, "M."), about: subject) == CouchError(status, error, reason))
    }

    /// What failed inside is not the client's business.
    @Test(arguments: [
        StorageError.Code.storage, .corrupt, .unsupportedFormat, .attachmentStore, .callback, .unexpected, .fileSystem,
        .invalidStorageType,
    ])
    func hidesFailures(code: StorageError.Code) {
        let answer = CouchError(StorageError(code, "/secret/path"))
        #expect(answer.status == 500 && answer.error == "internal_server_error" && !answer.reason.contains("secret"))
    }

    /// A refusal stays one; what it says of the server's files does not go out.
    @Test(arguments: [
        (StorageError.Code.badRequest, 400), (.badAttachment, 400), (.badID, 400), (.readOnly, 403), (.tooLarge, 413),
    ])
    func hidesPathsOfRefusals(code: StorageError.Code, status: Int) {
        for message in ["The file '/secret/path' is none.", "It failed (errno 13)."] {
            let answer = CouchError(StorageError(code, message))
            #expect(answer.status == status && answer.error != "internal_server_error")
            #expect(!answer.reason.contains("secret") && !answer.reason.contains("errno"))
            #expect(answer.reason == CouchError(StorageError(code, "")).reason || answer.cause?.message == message)
        }
    }

    @Test(arguments: [
        StorageError.Code.badRequest, .badID, .unauthorized, .rejected, .notFound, .deleted, .conflict, .exists,
        .attachmentNotFound, .tooLarge, .busy, .notImplemented, .full,
    ])
    func comesBackAsItWas(code: StorageError.Code) {
        let answer = CouchError(StorageError(code, "Message."))
        #expect(answer.storageError.code == code)
        #expect(CouchError(status: answer.status, body: answer.body).storageError.code == code)
    }

    @Test(
        arguments: [
            (CouchError(400, "query_parse_error", ""), .badParameter),
            (CouchError(400, "doc_validation", ""), .badJSON),
            (CouchError(405, "method_not_allowed", ""), .badRequest),
            (CouchError(406, "not_acceptable", ""), .badRequest),
            (CouchError(414, "too_long", ""), .tooLarge), (CouchError(415, "bad_content_type", ""), .badRequest),
            (CouchError(416, "x", ""), .badParameter), (CouchError(423, "x", ""), .inUse),
            (CouchError(429, "x", ""), .busy),
            (CouchError(500, "x", ""), .unexpected), (CouchError(502, "x", ""), .unexpected),
            (CouchError(412, "file_exists", ""), .exists), (CouchError(403, "forbidden", "no"), .rejected),
        ] as [(CouchError, StorageError.Code)]
    )
    func becomesAnErrorOfTheDatabase(error: CouchError, code: StorageError.Code) {
        #expect(error.storageError.code == code)
    }

    /// Another server's reasons may name documents, but for a validation's message.
    @Test func keepsReasonsOutOfMessages() {
        #expect(!CouchError(404, "not_found", "secret").storageError.message.contains("secret"))
        #expect(!CouchError(400, "Secret content", "").storageError.message.contains("ecret"))
        #expect(CouchError(404, "not_found", "").storageError.message == "The other database answered 404 not_found.")
        #expect(CouchError(403, "forbidden", "Name is needed").storageError.message.contains("Name is needed"))
    }

    @Test func writesItsBody() throws {
        #expect(CouchError.missing.body == Array("{\"error\":\"not_found\",\"reason\":\"missing\"}\n".utf8))
        let quoted = CouchError.badRequest("a \"b\"\n\\")
        let json = try JSONValue(parsing: Array(quoted.body.dropLast()))
        #expect(json["reason"]?.stringValue == "a \"b\"\n\\")
        #expect(CouchError(status: 400, body: quoted.body) == quoted)
    }

    @Test(arguments: ["", "<html>", "[1]", "{}", "{\"error\":1}"]) func readsOtherBodies(text: String) {
        #expect(CouchError(status: 502, body: Array(text.utf8)) == CouchError(502, "unknown_error", ""))
    }

    @Test func writesAndReadsRows() throws {
        let row = CouchError.conflict.row(id: "a", rev: "1-x")
        let expected: JSONObject = [
            "id": "a", "rev": "1-x", "error": "conflict", "reason": "Document update conflict.", "status": 409,
        ]
        #expect(try row.canonicalBytes() == expected.canonicalBytes())
        #expect(CouchError(row: row) == .conflict)
        #expect(CouchError.missing.row(id: nil).keys == ["error", "reason", "status"])
        // As CouchDB's `_bulk_docs` has them.
        #expect(CouchError(row: ["id": "a", "error": "forbidden", "reason": "no"]) == .forbidden("no"))
        #expect(CouchError(row: ["id": "a", "error": "odd"])?.status == 500)
        #expect(CouchError(row: ["id": "a", "ok": true]) == nil)
    }

    @Test func saysWhatMayBeRepeated() {
        #expect(CouchError.unavailable.isRetryable && !CouchError.conflict.isRetryable)
    }

    @Test func saysWhatHappened() {
        #expect(CouchError.missing.localizedDescription == "404 not_found: missing")
    }
}
