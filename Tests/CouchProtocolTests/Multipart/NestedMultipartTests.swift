internal import SetteeCouchProtocol
internal import Testing

/// An answer to `open_revs`: documents with attachments are messages in parts of a message.
@Suite struct NestedMultipartTests {
    private struct Answer: MultipartHandler {
        var documents: [PartCollector] = []
        var errors: [String] = []
        private var inner: MultipartReader?
        private var isError = false

        mutating func partBegins(_ headers: MultipartHeaders) throws(CouchError) {
            let type = try HeaderValue(headers["content-type"] ?? "")
            isError = type["error"] == "true"
            inner =
                type.value == "multipart/related"
                ? MultipartReader(boundary: try MultipartBoundary(contentType: headers["content-type"] ?? "")) : nil
            if isError { errors.append("") }
            if inner != nil { documents.append(PartCollector()) }
        }

        mutating func content(_ bytes: RawSpan) throws(CouchError) {
            if isError {
                unsafe bytes.withUnsafeBytes { errors[errors.count - 1] += unsafe String(decoding: $0, as: UTF8.self) }
            }
            try inner?.push(bytes, to: &documents[documents.count - 1])
        }

        mutating func partEnds() throws(CouchError) { try inner?.finish() }
        mutating func messageEnds() {}
    }

    /// As CouchDB 3 sends it (`send_docs_multipart` in src/chttpd/src/chttpd_db.erl).
    private static let message =
        "--outer\r\nContent-Type: multipart/related; boundary=\"inner\"\r\n\r\n\(related)\r\n--outer"
        + "\r\nContent-Type: application/json; error=\"true\"\r\n\r\n{\"missing\":\"3-x\"}\r\n--outer"
        + "\r\nContent-Type: multipart/related; boundary=\"inner\"\r\n\r\n\(related)\r\n--outer--"
    private static let related =
        "--inner\r\nContent-Type: application/json\r\n\r\n{}\r\n--inner\r\nContent-Disposition: attachment; "
        + "filename=\"a\"\r\nContent-Type: a/b\r\nContent-Length: 3\r\n\r\n\r\n-\r\n--inner--"

    @Test func readsMessagesInParts() throws {
        let message = Array(Self.message.utf8)
        for length in [1, 2, 3, 7, message.count] {
            var reader = MultipartReader(boundary: try MultipartBoundary("outer"))
            var answer = Answer()
            for start in stride(from: 0, to: message.count, by: length) {
                let end = min(start + length, message.count)
                try unsafe reader.push(message.span.bytes.extracting(start..<end), to: &answer)
            }
            try reader.finish()
            #expect(answer.documents.map(\.text) == [["{}", "\r\n-"], ["{}", "\r\n-"]])
            #expect(answer.errors == ["{\"missing\":\"3-x\"}"])
        }
    }

    /// As CouchDB 3 answers `_bulk_get`: a line end before the first boundary, and boundaries without quotes that begin
    /// with dashes.
    @Test func readsBulkGet() throws {
        let message =
            "\r\n----outer\r\nX-Doc-Id: a/b\r\nX-Rev-Id: 2-x\r\nContent-Type: multipart/related; boundary=--inner"
            + "\r\n\r\n----inner\r\nContent-Type: application/json\r\n\r\n{}\r\n----inner--"
            + "\r\n----outer\r\nContent-Type: application/json; error=\"true\"\r\n\r\n{\"error\":\"not_found\"}"
            + "\r\n----outer--\r\n"
        let boundary = try MultipartBoundary(contentType: "multipart/mixed; boundary=\"--outer\"")
        for split in 0...message.utf8.count {
            var reader = MultipartReader(boundary: boundary)
            var answer = Answer()
            for piece in [message.utf8.prefix(split), message.utf8.dropFirst(split)] {
                try unsafe reader.push(Array(piece).span.bytes, to: &answer)
            }
            try reader.finish()
            #expect(answer.documents.map(\.text) == [["{}"]])
            #expect(answer.errors == ["{\"error\":\"not_found\"}"])
        }
    }

    @Test func refusesAnInnerMessageWithoutItsEnd() throws {
        let inner = "--inner\r\n\r\n{}\r\n--inner"
        let message = "--outer\r\nContent-Type: multipart/related; boundary=inner\r\n\r\n\(inner)\r\n--outer--"
        var reader = MultipartReader(boundary: try MultipartBoundary("outer"))
        var answer = Answer()
        let error = refusal { () throws(CouchError) in
            try unsafe reader.push(Array(message.utf8).span.bytes, to: &answer)
        }
        #expect(error?.status == 400)
    }
}
