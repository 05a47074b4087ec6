import SetteeCouchProtocol

/// What a reader finds in a message.
struct Reading: MultipartHandler, Equatable {
    struct Part: Equatable {
        /// Names and values in turn.
        var fields: [String]
        var content: [UInt8] = []
        var isEnded = false
    }

    private(set) var parts: [Part] = []
    private(set) var headers: [MultipartHeaders] = []
    private(set) var isEnded = false
    /// Why it is no message.
    private(set) var error: CouchError?

    init(_ text: [UInt8], _ boundary: MultipartBoundary, _ limits: MultipartLimits, piece: Int) {
        var reader = MultipartReader(boundary: boundary, limits: limits)
        do throws(CouchError) {
            for place in stride(from: 0, to: text.count, by: piece) {
                let bytes = Array(text[place..<min(text.count, place + piece)])
                try reader.push(bytes.span.bytes, to: &self)
            }
            precondition(reader.isAtEnd == isEnded, "the end is told elsewhere")
            try reader.finish()
        } catch {
            precondition(error.status == 400 || error.status == 413, "another error")
            self.error = error
        }
    }

    mutating func partBegins(_ headers: MultipartHeaders) {
        precondition(!isEnded && parts.allSatisfy(\.isEnded), "a part begins in another one")
        parts.append(Part(fields: headers.fields.flatMap { [$0.name, $0.value] }))
        self.headers.append(headers)
        _ = try? headers.contentLength()
    }

    mutating func content(_ bytes: RawSpan) {
        precondition(bytes.byteCount > 0 && parts.last?.isEnded == false, "content without a part")
        bytes.withUnsafeBytes { parts[parts.count - 1].content += $0 }
    }

    mutating func partEnds() {
        precondition(parts.last?.isEnded == false, "no part is open")
        parts[parts.count - 1].isEnded = true
    }

    mutating func messageEnds() {
        precondition(!isEnded, "the message ends twice")
        isEnded = true
    }

    static func == (a: Reading, b: Reading) -> Bool {
        a.parts == b.parts && a.isEnded == b.isEnded && a.error == b.error
    }
}
