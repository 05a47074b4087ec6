internal import NIOCore
internal import SetteeCouchProtocol

/// A revision as multipart/related: its JSON, then its attachments in the order in which the JSON names them.
struct RelatedMessage: Sendable {
    let revision: RevisionContent
    private let boundary: MultipartBoundary

    init(_ revision: RevisionContent) {
        self.revision = revision
        var generator = SystemRandomNumberGenerator()
        boundary = MultipartBoundary(using: &generator)
    }

    var contentType: String { boundary.contentType("related") }

    /// The number of bytes; nil if no number can hold it.
    var length: Int? {
        let json = (MultipartHeaders.json, UInt64(revision.json.count))
        let parts = [json] + revision.attachments.map { ($0.headers, $0.length) }
        return MultipartWriter.length(boundary: boundary, parts: parts.map { (headers: $0.0, length: $0.1) })
            .flatMap { Int(exactly: $0) }
    }

    func write(to sink: any AnswerSink, on threads: BlockingThreads) async throws {
        var writer = MultipartWriter(boundary: boundary)
        try await sink.write(ByteBuffer(bytes: writer.head(.json)))
        try await sink.write(ByteBuffer(bytes: revision.json))
        for attachment in revision.attachments {
            try await sink.write(ByteBuffer(bytes: writer.head(attachment.headers)))
            try await attachment.write(to: sink, on: threads)
        }
        try await sink.write(ByteBuffer(bytes: writer.end()))
    }
}
