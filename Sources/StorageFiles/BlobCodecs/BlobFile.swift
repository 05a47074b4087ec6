package import StorageProtocol

/// An open blob file. It stays readable after its name has been removed.
package final class BlobFile: Sendable {
    /// Its size in bytes when it was opened.
    package let size: UInt64
    private let file: LockFile

    init(_ file: LockFile) throws(StorageError) {
        self.file = file
        size = try file.descriptor.info(file.path).size
    }

    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    package func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        try file.descriptor.read(at: offset, count: count, file.path)
    }

    /// Returns the error for a file that is not as it was written.
    ///
    /// - Parameter fault: What is wrong with it, as the end of a sentence.
    package func damage(_ fault: String) -> StorageError {
        .corrupt("The attachment's file '\(file.path)' is damaged: \(fault)")
    }
}
