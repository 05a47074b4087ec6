internal import StorageProtocol

/// A blob's file, open: it stays readable when its name goes.
final class FileBlobReader: BlobReader {
    let length: UInt64
    /// The content's SHA-256, where it is known without reading.
    var sha256: [UInt8]? { content.sha256 }
    private let content: any BlobDecoder

    /// Nil where there is no file.
    ///
    /// - Parameter name: the blob's, whatever the file is called now.
    convenience init?(_ entry: FolderEntry, _ name: String, _ codec: any BlobCodec) throws(StorageError) {
        guard let file = try entry.openFile() else { return nil }
        try self.init(LockFile(entry.path, file), name, codec)
    }

    /// Reads what its writer has open, whatever has become of the file's name.
    init(_ file: LockFile, _ name: String, _ codec: any BlobCodec) throws(StorageError) {
        content = try codec.makeDecoder(of: BlobFile(file), name: name)
        length = content.length
    }

    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        guard offset < length, count > 0 else { return [] }
        return try content.read(at: offset, count: Int(min(UInt64(count), length - offset)))
    }
}
