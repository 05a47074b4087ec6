/// How often the documents of a store refer to each blob, read. Counted in the store, in the transaction of the
/// document.
public protocol BlobReferenceReader: AnyObject {
    /// The blob that attachments with the SHA-1 `digest` (20 bytes) refer to, nil where none does.
    func blobReference(_ digest: [UInt8]) throws(StorageError) -> BlobReference?

    /// The references in the order of digests, those with count 0 too, until `body` returns false.
    ///
    /// - Parameter digest: only those behind this digest; nil: all.
    func blobReferences(
        after digest: [UInt8]?,
        _ body: (BlobReference) throws(StorageError) -> Bool
    ) throws(StorageError)
}

extension BlobReferenceReader {
    /// All references in the order of digests, those with count 0 too, until `body` returns false.
    public func blobReferences(_ body: (BlobReference) throws(StorageError) -> Bool) throws(StorageError) {
        try blobReferences(after: nil, body)
    }
}

/// Blob references, written.
public protocol BlobReferenceWriter: BlobReferenceReader {
    /// Sets a reference, replacing the one of the same digest.
    func setBlobReference(_ reference: BlobReference) throws(StorageError)
    /// Removes the reference of a digest (20 bytes). Nothing happens where there is none.
    func removeBlobReference(_ digest: [UInt8]) throws(StorageError)
}

/// One blob and how many attachments (of kept revisions) refer to it.
public struct BlobReference: Sendable, Equatable {
    /// The SHA-1 of the content, 20 bytes: what attachment stubs carry.
    public var digest: [UInt8]
    /// The blob's name in the `BlobStore`.
    public var storageName: String
    /// The content's length in bytes.
    public var length: UInt64
    /// How many attachments refer to it; 0: none any more.
    public var count: UInt64

    public init(digest: [UInt8], storageName: String, length: UInt64, count: UInt64) {
        self.digest = digest
        self.storageName = storageName
        self.length = length
        self.count = count
    }
}
