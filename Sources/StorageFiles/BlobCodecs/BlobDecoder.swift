package import StorageProtocol

/// Reads the content of one blob's file. Belongs to one thread at a time.
package protocol BlobDecoder: AnyObject {
    /// The content's length in bytes.
    var length: UInt64 { get }
    /// The content's SHA-256, where the file tells it without being read; nil by default.
    var sha256: [UInt8]? { get }

    /// Reads `count` bytes from `offset`, which the content has.
    ///
    /// - Throws: `corrupt` (591) where the file is damaged; `storage` (590) where it cannot be read.
    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8]
}

extension BlobDecoder {
    package var sha256: [UInt8]? { nil }
}
