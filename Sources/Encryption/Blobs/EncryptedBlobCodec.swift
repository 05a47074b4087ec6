internal import Crypto
package import SetteeStorageFiles
package import StorageProtocol

/// Stores the contents of attachments in files that can only be read with the data key. The format is described in
/// docs/guide/encryption.md.
package struct EncryptedBlobCodec: BlobCodec {
    package var filesAreContents: Bool { false }

    private let blobs: StorageKey
    private let names: SymmetricKey
    /// Returns the salt of the next file: random, except in tests of the format.
    private let makeSalt: @Sendable () -> [UInt8]

    package init(dataKey: DataKey) throws(StorageError) {
        try self.init(dataKey: dataKey) {
            var generator = SystemRandomNumberGenerator()
            let words: [UInt64] = [generator.next(), generator.next()]
            return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
        }
    }

    /// - Parameter salt: Returns 16 bytes, never the same ones for two contents.
    init(dataKey: DataKey, salt: @escaping @Sendable () -> [UInt8]) throws(StorageError) {
        blobs = try dataKey.blobKey
        names = try dataKey.nameKey.symmetric
        makeSalt = salt
    }

    /// Returns the HMAC-SHA256 of the digest with the subkey for names.
    package func name(ofSHA256 digest: [UInt8]) -> String {
        String(decoding: Hexadecimal.text(HMAC<SHA256>.authenticationCode(for: digest, using: names)), as: UTF8.self)
    }

    package func length(ofFileSize size: UInt64) throws(StorageError) -> UInt64 {
        try BlobLayout(fileSize: size).length
    }

    package func makeEncoder() throws(StorageError) -> any BlobEncoder {
        EncryptedBlobEncoder(try BlobFileCipher(blobs, header: BlobLayout.magic + makeSalt()))
    }

    package func makeDecoder(of file: BlobFile, name: String) throws(StorageError) -> any BlobDecoder {
        let layout = try BlobLayout(fileSize: file.size)
        let header = try file.read(at: 0, count: BlobLayout.headerLength)
        guard header.count == BlobLayout.headerLength, header.starts(with: BlobLayout.magic) else {
            throw file.damage("it does not begin as an encrypted one does")
        }
        let cipher = try BlobFileCipher(blobs, header: header)
        let trailer = try BlobTrailer(of: file, layout, cipher)
        guard self.name(ofSHA256: trailer.sha256) == name else {
            throw file.damage("it is the file of another content")
        }
        return EncryptedBlobDecoder(file, layout, cipher, trailer)
    }
}
