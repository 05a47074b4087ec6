internal import Crypto
package import StorageProtocol

/// Stores blobs as files: `ab/abcdef…`, encoded and named by a codec, in 256 folders named by the first two digits, so
/// that no folder becomes too large. Files being written are beside them with a staging name. `trash/` holds `<epoch,
/// 20 digits>-<name>`.
package final class FileBlobStore: BlobStore {
    static let trashName = "trash"

    package let directory: String
    /// How contents are encoded as files.
    package let codec: any BlobCodec
    let isReadOnly: Bool
    /// The groups whose own entry is known to be on the medium.
    private let syncedGroups = Locked<Set<String>>([])
    /// The folder of finished contents that wait for their revisions, while there are such.
    private let staged = Locked(WeakFolder())

    private struct WeakFolder {
        weak var folder: StagedFolder?
    }

    /// - Parameter directory: A `blobs-NNNNNN` folder, which exists.
    package init(
        directory: String,
        readOnly: Bool,
        codec: any BlobCodec = PlainBlobCodec()
    ) throws(StorageError) {
        guard try Files.info(directory, follow: false)?.isDirectory == true else {
            throw StorageError(
                .attachmentStore,
                "The folder of attachments, '\(directory)', is missing. Restore the database from a copy."
            )
        }
        self.directory = directory
        self.codec = codec
        isReadOnly = readOnly
    }

    /// Forces the entry of a blob to the medium, and before its first use here also that of its group.
    func syncGroup(of name: String) throws(StorageError) {
        let group = BlobName.group(name)
        try Files.syncDirectory(directory + "/" + group)
        guard !syncedGroups.withLock({ $0.contains(group) }) else { return }
        try Files.syncDirectory(directory)
        _ = syncedGroups.withLock { $0.insert(group) }
    }

    /// The folder for finished contents that are not kept open.
    func stagedFolder() throws(StorageError) -> StagedFolder {
        try staged.withLock { (staged) throws(StorageError) in
            if let folder = staged.folder { return folder }
            let folder = try StagedFolder(in: directory)
            staged.folder = folder
            return folder
        }
    }

    /// Returns the entry of a blob with a valid name.
    func entry(_ name: String) -> FolderEntry {
        FolderEntry(base: directory, name: BlobName.group(name) + "/" + name)
    }

    func path(_ name: String) -> String { directory + "/" + BlobName.group(name) + "/" + name }

    package func name(ofSHA256 digest: [UInt8]) -> String { codec.name(ofSHA256: digest) }

    package func filePath(_ name: String) throws(StorageError) -> String? {
        guard codec.filesAreContents, BlobName.isValid(name) else { return nil }
        return try location(of: name)?.path
    }

    package func makeWriter() throws(StorageError) -> any BlobWriter {
        guard !isReadOnly else { throw .readOnly }
        return try FileBlobWriter(self)
    }

    package func reader(_ name: String) throws(StorageError) -> (any BlobReader)? {
        guard BlobName.isValid(name) else { return nil }
        return try openReader(name)
    }

    /// Opens a blob with a valid name.
    func openReader(_ name: String) throws(StorageError) -> FileBlobReader? {
        try FileBlobReader(entry(name), name, codec)
    }

    package func size(_ name: String) throws(StorageError) -> UInt64? {
        guard BlobName.isValid(name) else { return nil }
        guard let file = try entry(name).fileInfo() else { return nil }
        return try codec.length(ofFileSize: file.size)
    }

    /// Whether there is a file, damaged or not.
    func isInPlace(_ name: String) throws(StorageError) -> Bool {
        guard BlobName.isValid(name) else { return false }
        return try entry(name).fileInfo() != nil
    }

    package func names(_ body: (String) throws(StorageError) -> Bool) throws(StorageError) {
        for group in try Files.names(in: directory) where BlobName.isGroup(group) {
            guard try FolderEntry(base: directory, name: group).isFolder() else { continue }
            var goesOn = true
            try Files.forEachName(in: directory + "/" + group) { (name) throws(StorageError) in
                if BlobName.isValid(name), BlobName.group(name) == group { goesOn = try body(name) }
                return goesOn
            }
            guard goesOn else { return }
        }
    }

    /// Returns the blob's file if it has the content that its name stands for; nil if it is damaged or missing.
    func soundFile(_ name: String) throws(StorageError) -> FileInfo? {
        guard let file = try entry(name).fileInfo(), try verify(name) == nil else { return nil }
        return file
    }

    package func verify(_ name: String) throws(StorageError) -> String? {
        let opened: (any BlobReader)?
        do throws(StorageError) {
            opened = try reader(name)
        } catch {
            guard error.code == .corrupt else { throw error }
            return error.message
        }
        guard let reader = opened else { return "the file is missing" }
        var hash = SHA256()
        var offset: UInt64 = 0
        while true {
            let piece: [UInt8]
            do throws(StorageError) {
                piece = try reader.read(at: offset, count: BlobName.pieceSize)
            } catch {
                switch error.code {
                case .storage: return "the file cannot be read: \(error.message)"
                case .corrupt: return error.message
                default: throw error
                }
            }
            if piece.isEmpty { break }
            hash.update(data: piece)
            offset += UInt64(piece.count)
        }
        return codec.name(ofSHA256: Array(hash.finalize())) == name
            ? nil : "the content (\(offset) bytes) has another SHA-256 than the name says"
    }
}
