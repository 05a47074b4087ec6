internal import SetteeCouchProtocol

/// Collects what a reader finds, and notes calls that come in a wrong order.
struct PartCollector: MultipartHandler {
    struct Part: Equatable {
        var headers: [[String]]
        var content: [UInt8]
    }

    var parts: [Part] = []
    var isInside = false
    var hasEnded = false
    var misplaced = 0
    /// How many times content was passed on.
    var pieces = 0

    mutating func partBegins(_ headers: MultipartHeaders) {
        if isInside || hasEnded { misplaced += 1 }
        isInside = true
        parts.append(Part(headers: headers.fields.map { [$0.name, $0.value] }, content: []))
    }

    mutating func content(_ bytes: RawSpan) {
        if !isInside || bytes.isEmpty { misplaced += 1 }
        pieces += 1
        unsafe bytes.withUnsafeBytes { unsafe parts[parts.count - 1].content.append(contentsOf: $0) }
    }

    mutating func partEnds() {
        if !isInside { misplaced += 1 }
        isInside = false
    }

    mutating func messageEnds() {
        if isInside || hasEnded { misplaced += 1 }
        hasEnded = true
    }

    var text: [String] { parts.map { String(decoding: $0.content, as: UTF8.self) } }
}

/// Reads a message in pieces of these lengths; the last one takes the rest.
func read(
    _ message: [UInt8],
    boundary: String,
    lengths: [Int] = [],
    limits: MultipartLimits = MultipartLimits()
) throws(CouchError) -> PartCollector {
    var collector = PartCollector()
    var reader = MultipartReader(boundary: try MultipartBoundary(boundary), limits: limits)
    var place = 0
    for length in lengths + [message.count] {
        let end = min(place + length, message.count)
        try unsafe reader.push(message.span.bytes.extracting(place..<end), to: &collector)
        place = end
    }
    try reader.finish()
    return collector
}

func read(_ message: String, boundary: String, lengths: [Int] = []) throws(CouchError) -> PartCollector {
    try read(Array(message.utf8), boundary: boundary, lengths: lengths)
}
