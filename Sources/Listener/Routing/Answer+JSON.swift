internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol

extension Answer {
    /// An answer of JSON text.
    static func json(_ status: HTTPResponse.Status = .ok, _ bytes: [UInt8], headers: HTTPFields = [:]) -> Answer {
        var headers = headers
        headers[.contentType] = "application/json"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "must-revalidate" }
        return Answer(status: status, headers: headers, body: .bytes(ByteBuffer(bytes: bytes)))
    }

    /// An answer of JSON that `write` adds, with a line feed behind it, as CouchDB writes it.
    static func json(
        _ status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        _ write: (inout JSONAnswerText) -> Void
    ) -> Answer {
        var text = JSONAnswerText()
        write(&text)
        text.raw("\n")
        return json(status, text.bytes, headers: headers)
    }

    /// `{"ok":true}`.
    static func ok(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Answer {
        json(status, headers: headers) { $0.raw(#"{"ok":true}"#) }
    }

    /// The answer that refuses a request.
    init(_ error: CouchError) {
        var headers: HTTPFields = [:]
        if error.isRetryable { headers[.retryAfter] = "1" }
        self = .json(HTTPResponse.Status(code: error.status), error.body, headers: headers)
    }

    /// 304: what the client has is what it would get.
    static func notModified(_ tag: EntityTag) -> Answer {
        Answer(status: .notModified, headers: [.eTag: tag.header, .cacheControl: "must-revalidate"])
    }
}
