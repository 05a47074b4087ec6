/// An attachment whose content is to be read.
struct AttachmentWish: Sendable, Equatable {
    var documentID: String
    var revision: String
    var name: String
    /// As in the stub: `md5-` or `sha1-` and base64, of the stored bytes.
    var digest: String
    /// The length of the stored bytes.
    var length: UInt64
    /// `gzip` if the content is stored so; nil if it is not encoded.
    var encoding: String?
    /// The length of the bytes without the encoding, if it is known.
    var decodedLength: UInt64?
}

/// The content of an attachment, piece by piece.
protocol ContentPieces: Sendable {
    /// Where the first piece begins: the offset that was asked for, or 0 if the peer cannot begin there.
    var offset: UInt64 { get }
    /// Whether the pieces are encoded as the wish says; a peer may decode what it sends.
    var isEncoded: Bool { get }
    /// The next bytes; nil at the end.
    func next() async throws -> [UInt8]?
    /// Appends the next bytes to `bytes`. False at the end.
    func next(to bytes: inout [UInt8]) async throws -> Bool
    /// Gives up the rest. Without effect after the end.
    func close() async
}

extension ContentPieces {
    func next(to bytes: inout [UInt8]) async throws -> Bool {
        guard let piece = try await next() else { return false }
        bytes += piece
        return true
    }
}
