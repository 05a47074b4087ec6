internal import StorageProtocol

/// The layout of the file for an encrypted content. The format is described in docs/guide/encryption.md.
struct BlobLayout: Equatable {
    /// The first bytes of every file.
    static let magic = Array("SETTEEB1".utf8)
    static let saltLength = 16
    /// Magic and salt.
    static let headerLength = 24
    /// Bytes of content in every chunk but the last.
    static let chunkLength = 1 << 16
    static let tagLength = 16
    /// SHA-1, SHA-256 and length.
    static let trailerLength = 60
    static let sealedTrailerLength = trailerLength + tagLength
    /// The maximum number of chunks in a file, so that each has a number of four bytes.
    static let mostChunks = UInt64(UInt32.max)

    /// The length of the content.
    let length: UInt64
    let chunks: UInt64

    /// Creates the layout of a file.
    ///
    /// - Throws: `corrupt` (591) if no content has a file of this size.
    init(fileSize size: UInt64) throws(StorageError) {
        let frame = UInt64(BlobLayout.headerLength + BlobLayout.sealedTrailerLength)
        let whole = UInt64(BlobLayout.chunkLength + BlobLayout.tagLength)
        guard size >= frame else { throw BlobLayout.impossible(size) }
        let sealed = size - frame
        let rest = sealed % whole
        chunks = sealed / whole + (rest > 0 ? 1 : 0)
        // The last chunk has at least one byte of content.
        guard rest == 0 || rest > UInt64(BlobLayout.tagLength), chunks <= BlobLayout.mostChunks else {
            throw BlobLayout.impossible(size)
        }
        length = sealed - chunks * UInt64(BlobLayout.tagLength)
    }

    /// Returns the offset of a chunk in the file.
    static func offset(ofChunk number: UInt64) -> UInt64 {
        UInt64(headerLength) + number * UInt64(chunkLength + tagLength)
    }

    /// The offset of the trailer.
    var trailerOffset: UInt64 {
        UInt64(BlobLayout.headerLength) + length + chunks * UInt64(BlobLayout.tagLength)
    }

    /// Returns how many bytes of content a chunk has.
    func length(ofChunk number: UInt64) -> Int {
        let start = number * UInt64(BlobLayout.chunkLength)
        return Int(min(UInt64(BlobLayout.chunkLength), length - start))
    }

    private static func impossible(_ size: UInt64) -> StorageError {
        .corrupt("The file of an encrypted attachment has \(size) bytes, which no content makes")
    }
}
