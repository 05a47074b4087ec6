package import StorageProtocol

/// How the content of a blob is encoded as a file, and how the file is named. Stores with the same codec, and the same
/// keys if it has any, can share files.
package protocol BlobCodec: Sendable {
    /// Whether a file has the bytes of its content and nothing else, so that other code can read it in place.
    var filesAreContents: Bool { get }

    /// Returns the name of the file: 64 lower-case hexadecimal digits, the same for the same content.
    ///
    /// - Parameter digest: The SHA-256 of the content, 32 bytes.
    func name(ofSHA256 digest: [UInt8]) -> String

    /// Returns the length of the content in bytes, computed from the size of the file alone.
    ///
    /// - Throws: `corrupt` (591) if no content has a file of this size.
    func length(ofFileSize size: UInt64) throws(StorageError) -> UInt64

    /// Begins a file.
    func makeEncoder() throws(StorageError) -> any BlobEncoder

    /// Opens a file for reading.
    ///
    /// - Parameter name: The name of the file, as derived from its content.
    /// - Throws: `corrupt` (591) if it cannot be the file with this name.
    func makeDecoder(of file: BlobFile, name: String) throws(StorageError) -> any BlobDecoder
}
