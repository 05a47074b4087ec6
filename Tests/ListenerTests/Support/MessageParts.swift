internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import Testing

/// The parts of a multipart message.
struct MessageParts: MultipartHandler {
    struct Part {
        var headers: MultipartHeaders
        var content: [UInt8] = []

        var type: String { headers["Content-Type"] ?? "" }
        var json: JSONObject { (try? JSONValue(parsing: content))?.objectValue ?? JSONObject() }
        var isFailure: Bool { type == "application/json; error=\"true\"" }
    }

    private(set) var parts: [Part] = []

    mutating func partBegins(_ headers: MultipartHeaders) { parts.append(Part(headers: headers)) }
    mutating func content(_ bytes: RawSpan) { bytes.withUnsafeBytes { parts[parts.count - 1].content += $0 } }
    mutating func partEnds() {}
    mutating func messageEnds() {}

    /// - Throws: If the message is malformed or incomplete.
    static func read(_ type: String?, _ message: [UInt8]) throws -> [Part] {
        var reader = MultipartReader(boundary: try MultipartBoundary(contentType: #require(type)))
        var parts = MessageParts()
        try reader.push(message.span.bytes, to: &parts)
        try reader.finish()
        return parts.parts
    }

    static func read(_ answer: CollectedAnswer) throws -> [Part] {
        #expect(answer.status == 200 && answer.failure == nil, "\(answer.text)")
        return try read(answer.header("Content-Type"), answer.body)
    }
}

/// A multipart message of given parts.
func message(_ parts: [(headers: [String: String], content: [UInt8])], boundary: String = "b") throws -> [UInt8] {
    var writer = MultipartWriter(boundary: try MultipartBoundary(boundary))
    var bytes: [UInt8] = []
    for part in parts {
        var headers = MultipartHeaders()
        for (name, value) in part.headers { try headers.append(name, value) }
        bytes += writer.head(headers) + part.content
    }
    return bytes + writer.end()
}

func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    let deflater = try GzipDeflater(.gzip)
    var output: [UInt8] = []
    let append = { (piece: RawSpan) throws(CouchError) in piece.withUnsafeBytes { output += $0 } }
    try deflater.push(bytes.span.bytes, append)
    try deflater.finish(append)
    return output
}
