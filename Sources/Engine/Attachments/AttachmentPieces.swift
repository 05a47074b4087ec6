internal import StorageProtocol

/// The content of an attachment in pieces, as an asynchronous sequence. It is opened when the first piece is requested.
public struct AttachmentPieces: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    private let attachment: Attachment
    private let size: Int

    init(_ attachment: Attachment, size: Int) {
        self.attachment = attachment
        self.size = size
    }

    public func makeAsyncIterator() -> Iterator { Iterator(attachment: attachment, size: size) }

    /// Reads one piece at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let attachment: Attachment
        let size: Int
        private var reader: AttachmentReader?

        init(attachment: Attachment, size: Int) {
            self.attachment = attachment
            self.size = size
        }

        /// Returns the next piece; nil at the end.
        ///
        /// - Throws: `badParameter` (495) if the size is not above 0; as `Attachment.openReader` and
        ///   `AttachmentReader.read`.
        public mutating func next() async throws -> [UInt8]? {
            guard size > 0 else { throw StorageError(.badParameter, "The size of a piece must be above 0.") }
            let (attachment, size, known) = (attachment, size, reader)
            let (open, piece) = try await attachment.database.async.run { _ in
                let open = try known ?? attachment.openReader()
                return (open, try open.read(upTo: size))
            }
            reader = open
            return piece.isEmpty ? nil : piece
        }
    }
}
