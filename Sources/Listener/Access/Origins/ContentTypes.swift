package import HTTPTypes
package import SetteeCouchProtocol

/// Which bodies are taken for JSON. A form in a foreign page can only send `text/plain` and the types of forms.
package enum ContentTypes {
    /// Checks the Content-Type of a request with a JSON body.
    ///
    /// - Parameter mayBeMissing: For requests that CouchDB's clients send without the header.
    /// - Throws: `bad_content_type` (415).
    package static func requireJSON(_ headers: HTTPFields, mayBeMissing: Bool = false) throws(CouchError) {
        let values = headers[values: .contentType]
        guard let value = values.first else {
            if mayBeMissing { return }
            throw .notJSON
        }
        guard values.count == 1, kind(value) == "application/json" else { throw .notJSON }
    }

    /// The type without parameters, in lower case; nil if the header is malformed.
    static func kind(_ value: String) -> String? { try? HeaderValue(value).value }
}
