internal import NIOCore
internal import SetteeCouchProtocol

/// Many revisions as one multipart message: each as JSON, or as a multipart/related message of its own if attachments
/// follow it; and what is missing.
struct MixedMessage {
    let sink: any AnswerSink
    let threads: BlockingThreads
    private var writer: MultipartWriter

    init(boundary: MultipartBoundary, to sink: any AnswerSink, on threads: BlockingThreads) {
        self.sink = sink
        self.threads = threads
        writer = MultipartWriter(boundary: boundary)
    }

    mutating func write(_ revision: RevisionContent) async throws {
        guard !revision.attachments.isEmpty else { return try await write(.json, revision.json) }
        let message = RelatedMessage(revision)
        var headers = MultipartHeaders()
        try headers.append("Content-Type", message.contentType)
        try await sink.write(ByteBuffer(bytes: writer.head(headers)))
        try await message.write(to: sink, on: threads)
    }

    /// Writes a part that says what is missing, or why.
    mutating func write(failure json: [UInt8]) async throws { try await write(.missingRevision, json) }

    mutating func end() async throws { try await sink.write(ByteBuffer(bytes: writer.end())) }

    private mutating func write(_ headers: MultipartHeaders, _ json: [UInt8]) async throws {
        try await sink.write(ByteBuffer(bytes: writer.head(headers) + json))
    }
}
