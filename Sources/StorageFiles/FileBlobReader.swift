internal import StorageProtocol

/// A blob's file, open: it stays readable when its name goes.
final class FileBlobReader: BlobReader {
    let length: UInt64
    private let path: String
    private let file: LockFile

    /// Nil where there is no file.
    init?(_ entry: FolderEntry) throws(StorageError) {
        guard let file = try entry.openFile() else { return nil }
        path = entry.path
        length = try file.info(path).size
        self.file = LockFile(path, file)
    }

    /// Reads what its writer has open, whatever has become of the name.
    init(_ file: LockFile, length: UInt64) {
        path = file.path
        self.length = length
        self.file = file
    }

    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
        guard offset < length, count > 0 else { return [] }
        return try file.descriptor.read(at: offset, count: Int(min(UInt64(count), length - offset)), path)
    }
}
