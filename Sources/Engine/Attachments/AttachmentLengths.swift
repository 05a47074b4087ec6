internal import StorageProtocol

/// What attachments that share a content say of its length.
struct AttachmentLengths: Sendable, Equatable {
    /// How many bytes are stored.
    private(set) var stored: UInt64
    /// How many bytes that decodes to, where an attachment says that it is encoded.
    private(set) var decoded: UInt64?

    init(_ stub: AttachmentStub) {
        stored = stub.storedLength
        decoded = stub.encodedLength == nil ? nil : stub.length
    }

    /// Adds what another attachment says.
    ///
    /// - Returns: whether both can be true.
    mutating func merge(_ other: AttachmentLengths) -> Bool {
        guard stored == other.stored, decoded ?? other.decoded == other.decoded ?? decoded else { return false }
        decoded = decoded ?? other.decoded
        return true
    }
}
