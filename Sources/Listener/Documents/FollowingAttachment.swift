internal import SetteeCouchProtocol
internal import SetteeEngine
internal import StorageProtocol

/// An attachment whose stored bytes are sent in a part of their own, behind the JSON that names it.
struct FollowingAttachment: Sendable {
    let attachment: Attachment
    let headers: MultipartHeaders
    /// The number of stored bytes.
    let length: UInt64
    /// Open from the state that was read; nil: to be opened when its turn comes.
    let reader: AttachmentReader?

    /// - Parameter opens: Whether to open the content at once. Then nothing that happens to the document meanwhile can
    ///   take it away.
    init(_ attachment: Attachment, opens: Bool) throws {
        self.attachment = attachment
        length = attachment.encodedLength ?? attachment.length
        reader = opens ? try attachment.openReader(encoded: true) : nil
        let coding = attachment.encodedLength == nil ? ContentCoding.identity : .gzip
        do throws(CouchError) {
            let type = attachment.sentContentType
            headers = try .attachment(attachment.name, contentType: type, length: length, coding: coding)
        } catch {
            // The type has control characters. The JSON has it as it is.
            let type = "application/octet-stream"
            headers = try .attachment(attachment.name, contentType: type, length: length, coding: coding)
        }
    }

    func write(to sink: any AnswerSink, on threads: BlockingThreads) async throws {
        let reader =
            if let reader { reader } else { try await threads.run { try attachment.openReader(encoded: true) } }
        try await sink.write(reader, 0..<length, on: threads)
    }
}
