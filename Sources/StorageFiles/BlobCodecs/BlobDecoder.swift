package import StorageProtocol

/// Reads the content of a blob's file. Belongs to one thread at a time.
package protocol BlobDecoder: AnyObject {
    /// The content's length in bytes.
    var length: UInt64 { get }
    /// The SHA-256 of the content, if the file provides it without being read; nil by default.
    var sha256: [UInt8]? { get }

    /// Reads `count` bytes from `offset`. The content must have these bytes.
    ///
    /// - Throws: `corrupt` (591) if the file is damaged; `storage` (590) if it cannot be read.
    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8]
}

extension BlobDecoder {
    package var sha256: [UInt8]? { nil }
}
