internal import StorageProtocol

/// What the attachments that share a content say about its length.
package struct AttachmentLengths: Sendable, Equatable {
    /// The number of stored bytes.
    package private(set) var stored: UInt64
    /// The number of decoded bytes, if an attachment says that the content is encoded.
    package private(set) var decoded: UInt64?

    package init(_ stub: AttachmentStub) {
        stored = stub.storedLength
        decoded = stub.encodedLength == nil ? nil : stub.length
    }

    /// Adds the lengths of another attachment.
    ///
    /// - Returns: Whether both can be true.
    package mutating func merge(_ other: AttachmentLengths) -> Bool {
        guard stored == other.stored, decoded ?? other.decoded == other.decoded ?? decoded else { return false }
        decoded = decoded ?? other.decoded
        return true
    }
}
