/// Reads how often the documents of a store refer to each blob. The counts are part of the store and change in the same
/// transaction as the document.
public protocol BlobReferenceReader: AnyObject {
    /// Returns the blob that attachments with the SHA-1 `digest` (20 bytes) refer to, or nil if there is none.
    func blobReference(_ digest: [UInt8]) throws(StorageError) -> BlobReference?

    /// Passes the references to `body`, ordered by digest and including those with count 0, until it returns false.
    ///
    /// - Parameter digest: Only references after this digest; nil for all of them.
    func blobReferences(
        after digest: [UInt8]?,
        _ body: (BlobReference) throws(StorageError) -> Bool
    ) throws(StorageError)
}

extension BlobReferenceReader {
    /// Passes all references to `body`, ordered by digest and including those with count 0, until it returns false.
    public func blobReferences(_ body: (BlobReference) throws(StorageError) -> Bool) throws(StorageError) {
        try blobReferences(after: nil, body)
    }
}

/// Writes blob references.
public protocol BlobReferenceWriter: BlobReferenceReader {
    /// Sets a reference and replaces any existing one with the same digest.
    func setBlobReference(_ reference: BlobReference) throws(StorageError)
    /// Removes the reference of a digest (20 bytes). Does nothing if there is none.
    func removeBlobReference(_ digest: [UInt8]) throws(StorageError)
}

/// A blob and the number of attachments (of kept revisions) that refer to it.
public struct BlobReference: Sendable, Equatable {
    /// The SHA-1 of the content, 20 bytes, as in attachment stubs.
    public var digest: [UInt8]
    /// The blob's name in the `BlobStore`.
    public var storageName: String
    /// The content's length in bytes.
    public var length: UInt64
    /// How many attachments refer to it. 0: no longer in use.
    public var count: UInt64

    public init(digest: [UInt8], storageName: String, length: UInt64, count: UInt64) {
        self.digest = digest
        self.storageName = storageName
        self.length = length
        self.count = count
    }
}
