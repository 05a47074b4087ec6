internal import Crypto
internal import StorageProtocol

/// SHA-1 and SHA-256 of a stream, in one pass.
struct BlobDigests {
    private var sha1 = Insecure.SHA1()
    private var sha256 = SHA256()

    mutating func update(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe sha1.update(bufferPointer: buffer)
            unsafe sha256.update(bufferPointer: buffer)
        }
    }

    func finish(length: UInt64) -> BlobContent {
        let long = Array(sha256.finalize())
        return BlobContent(
            storageName: BlobDigests.name(ofSHA256: long),
            sha1: Array(sha1.finalize()),
            sha256: long,
            length: length
        )
    }

    /// Returns the digest in hexadecimal digits.
    static func name(ofSHA256 digest: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
