package import StorageProtocol

/// How a blob's content becomes its file, and what the file is called. Stores of one codec, with the same keys where it
/// has any, may share files.
package protocol BlobCodec: Sendable {
    /// Whether a file has the bytes of its content and nothing else, so that anybody may read it in place.
    var filesAreContents: Bool { get }

    /// The file's name: 64 lower-case hexadecimal digits, the same for the same content.
    ///
    /// - Parameter digest: the SHA-256 of the content, 32 bytes.
    func name(ofSHA256 digest: [UInt8]) -> String

    /// The content's length in bytes, which the file's size alone gives.
    ///
    /// - Throws: `corrupt` (591) where no content has a file of this size.
    func length(ofFileSize size: UInt64) throws(StorageError) -> UInt64

    /// Begins a file.
    func makeEncoder() throws(StorageError) -> any BlobEncoder

    /// Opens a file for reading.
    ///
    /// - Parameter name: the file's name, as it was made from the content.
    /// - Throws: `corrupt` (591) where it cannot be the file of this name.
    func makeDecoder(of file: BlobFile, name: String) throws(StorageError) -> any BlobDecoder
}
