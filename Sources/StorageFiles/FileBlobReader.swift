internal import StorageProtocol

/// An open blob file. It stays readable after its name has been removed.
final class FileBlobReader: BlobReader {
    let length: UInt64
    /// The SHA-256 of the content, if it is known without reading.
    var sha256: [UInt8]? { content.sha256 }
    private let content: any BlobDecoder

    /// Nil if there is no file.
    ///
    /// - Parameter name: The name of the blob, whatever the file is called now.
    convenience init?(_ entry: FolderEntry, _ name: String, _ codec: any BlobCodec) throws(StorageError) {
        guard let file = try entry.openFile() else { return nil }
        try self.init(LockFile(entry.path, file), name, codec)
    }

    /// Reads a file that its writer has open, even if the file's name has changed or been removed.
    init(_ file: LockFile, _ name: String, _ codec: any BlobCodec) throws(StorageError) {
        content = try codec.makeDecoder(of: BlobFile(file), name: name)
        length = content.length
    }

    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        guard offset < length, count > 0 else { return [] }
        return try content.read(at: offset, count: Int(min(UInt64(count), length - offset)))
    }
}
