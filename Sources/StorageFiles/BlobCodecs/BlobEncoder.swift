package import StorageProtocol

/// Produces the bytes of a blob's file, from first to last. Belongs to one thread at a time.
package protocol BlobEncoder: AnyObject {
    /// Encodes the next bytes of the content, and passes what is ready to `write`.
    ///
    /// - Throws: `tooLarge` (413) if a file cannot hold this much; the error of `write`. The file is then unusable.
    func append(
        _ bytes: RawSpan,
        to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError)

    /// Passes the remaining bytes to `write`.
    ///
    /// - Parameter content: The digests and length of the whole content.
    func finish(
        _ content: BlobContent,
        to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError)
}
