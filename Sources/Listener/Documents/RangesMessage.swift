internal import NIOCore
internal import SetteeCouchProtocol
internal import SetteeEngine

/// Several ranges of one content as multipart/byteranges (RFC 9110, section 14.6).
struct RangesMessage: Sendable {
    private let parts: [(headers: MultipartHeaders, range: SetteeCouchProtocol.ByteRange)]
    private let reader: AttachmentReader
    private let boundary: MultipartBoundary

    /// - Throws: `bad_request` (400) for a content type that can be in no header.
    init(
        _ ranges: [SetteeCouchProtocol.ByteRange],
        of reader: AttachmentReader,
        contentType: String
    ) throws(CouchError) {
        var parts: [(headers: MultipartHeaders, range: SetteeCouchProtocol.ByteRange)] = []
        for range in ranges {
            var headers = MultipartHeaders()
            try headers.append("Content-Type", contentType)
            try headers.append("Content-Range", range.contentRange(of: reader.length))
            parts.append((headers, range))
        }
        self.parts = parts
        self.reader = reader
        var generator = SystemRandomNumberGenerator()
        boundary = MultipartBoundary(using: &generator)
    }

    var contentType: String { boundary.contentType("byteranges") }

    /// The number of bytes; nil if no number can hold it.
    var length: Int? {
        MultipartWriter.length(boundary: boundary, parts: parts.map { (headers: $0.headers, length: $0.range.count) })
            .flatMap { Int(exactly: $0) }
    }

    func write(to sink: any AnswerSink, on threads: BlockingThreads) async throws {
        var writer = MultipartWriter(boundary: boundary)
        for part in parts {
            try await sink.write(ByteBuffer(bytes: writer.head(part.headers)))
            try await sink.write(reader, part.range.first..<(part.range.last + 1), on: threads)
        }
        try await sink.write(ByteBuffer(bytes: writer.end()))
    }
}
