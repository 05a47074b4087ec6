internal import Crypto
internal import Foundation
internal import StorageProtocol

/// Seals and opens the parts of one file, with a key that is used for no other file.
struct BlobFileCipher {
    /// Magic and salt: the file's first bytes, to which every part is bound.
    let header: [UInt8]
    private let key: SymmetricKey

    /// - Parameters:
    ///   - blobs: The subkey for all files.
    ///   - header: Begins with the magic.
    init(_ blobs: StorageKey, header: [UInt8]) throws(StorageError) {
        self.header = header
        let subkey = try blobs.subkey(for: .file, salt: Array(header.suffix(BlobLayout.saltLength)))
        key = subkey.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
    }

    /// Passes a part's ciphertext with its tag to `body`.
    func seal(
        _ part: BlobPart,
        _ bytes: RawSpan,
        _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let sealed: Data
        do {
            let nonce = try AES.GCM.Nonce(data: part.nonce)
            let box = try unsafe bytes.withUnsafeBytes { bytes in
                try unsafe AES.GCM.seal(bytes, using: key, nonce: nonce, authenticating: header)
            }
            // Never nil with a nonce of 12 bytes.
            guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
            sealed = combined.dropFirst(12)
        } catch {
            throw StorageError(.attachmentStore, "An attachment's content could not be encrypted. Try again.")
        }
        try unsafe body(sealed.span.bytes)
    }

    /// Returns the content of a part; nil if it is not what was sealed.
    func open(_ part: BlobPart, _ sealed: UnsafeRawBufferPointer) -> Data? {
        guard sealed.count >= BlobLayout.tagLength else { return nil }
        let end = sealed.count - BlobLayout.tagLength
        do {
            let box = try unsafe AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: part.nonce),
                ciphertext: UnsafeRawBufferPointer(rebasing: sealed[..<end]),
                tag: UnsafeRawBufferPointer(rebasing: sealed[end...])
            )
            return try AES.GCM.open(box, using: key, authenticating: header)
        } catch {
            return nil
        }
    }
}
