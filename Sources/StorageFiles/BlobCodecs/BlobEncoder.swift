package import StorageProtocol

/// Makes the bytes of one blob's file, from its first to its last. Belongs to one thread at a time.
package protocol BlobEncoder: AnyObject {
    /// Takes the next bytes of the content, and hands what is ready to `write`.
    ///
    /// - Throws: `tooLarge` (413) where no file holds so much; what `write` throws. The file is void then.
    func append(
        _ bytes: RawSpan,
        to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError)

    /// Hands out what is left.
    ///
    /// - Parameter content: what all bytes were.
    func finish(
        _ content: BlobContent,
        to write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError)
}
