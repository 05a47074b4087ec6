/// The headers of a part, which are always well-formed: nothing in a name or value can begin a new line.
///
/// Names are compared without regard to the case of ASCII letters.
public struct MultipartHeaders: Sendable {
    /// A header. The name is in lower case if it was read from a message.
    public typealias Field = (name: String, value: String)

    /// The headers in their order.
    public private(set) var fields: [Field] = []

    /// No headers.
    public init() {}

    /// The headers of a part that holds JSON, with the bytes that CouchDB writes.
    public static var json: MultipartHeaders { MultipartHeaders(known: [("Content-Type", "application/json")]) }

    /// The headers of an `open_revs` answer's part about a revision that is missing.
    public static var missingRevision: MultipartHeaders {
        MultipartHeaders(known: [("Content-Type", "application/json; error=\"true\"")])
    }

    /// The headers of an attachment's part, as CouchDB writes them.
    ///
    /// - Parameters:
    ///   - name: The attachment's name, any text.
    ///   - contentType: Its type.
    ///   - length: The number of bytes in the part, encoded if they are.
    ///   - coding: How the bytes are encoded.
    /// - Throws: `bad_request` (400) if the type has line breaks or other control characters.
    public static func attachment(
        _ name: String,
        contentType: String,
        length: UInt64,
        coding: ContentCoding = .identity
    ) throws(CouchError) -> MultipartHeaders {
        var headers = MultipartHeaders()
        try headers.append("Content-Disposition", ContentDisposition.attachment(name))
        try headers.append("Content-Type", contentType)
        try headers.append("Content-Length", String(length))
        if coding != .identity { try headers.append("Content-Encoding", coding.rawValue) }
        return headers
    }

    private init(known fields: [Field]) { self.fields = fields }

    /// The value of the header `name`; nil if there is none.
    public subscript(name: String) -> String? {
        fields.first { ASCII.lowercase($0.name.utf8) == ASCII.lowercase(name.utf8) }?.value
    }

    /// Adds a header.
    ///
    /// - Throws: `bad_request` (400) for a name that is no token, a value with control characters, and a header that is
    ///   there already.
    /// - Complexity: O(headers).
    public mutating func append(_ name: String, _ value: String) throws(CouchError) {
        guard !name.isEmpty, name.utf8.allSatisfy({ ASCII.isToken($0) }),
            !value.utf8.contains(where: { ASCII.isControl($0) }), self[name] == nil
        else { throw MultipartHeaders.malformed }
        fields.append((name, value))
    }

    /// Reads a line of a message, without its end.
    ///
    /// - Throws: `bad_request` (400) as `append` does; without a colon; if it is not UTF-8; and for a continuation of
    ///   the line before (RFC 5322, section 2.2.3), which CouchDB does not take either.
    mutating func append(line: [UInt8]) throws(CouchError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let value = String(validating: ASCII.trimmed(line[(colon + 1)...]), as: UTF8.self)
        else { throw MultipartHeaders.malformed }
        try append(ASCII.lowercase(line[..<colon]), value)
    }

    /// CouchDB's words.
    static var malformed: CouchError { .badRequest("bad part header") }

    /// The Content-Length of the part; nil if there is none.
    ///
    /// - Throws: `bad_request` (400) if it is not a number.
    public func contentLength() throws(CouchError) -> UInt64? {
        guard let text = self["content-length"] else { return nil }
        guard let length = ASCII.number(text.utf8) else { throw MultipartHeaders.malformed }
        return length
    }
}
