internal import Crypto
package import StorageProtocol

/// Blobs as files: `ab/abcdef…`, named by the SHA-256 of the content, in 256 folders named by the first two digits, so
/// that no folder grows out of hand. What is being written lies beside them under a staging name; `trash/` holds
/// `<epoch, 20 digits>-<name>`.
package final class FileBlobStore: BlobStore {
    static let trashName = "trash"

    package let directory: String
    let isReadOnly: Bool
    /// The groups whose own entry is known to be on the medium.
    private let syncedGroups = Locked<Set<String>>([])

    /// - Parameter directory: a `blobs-NNNNNN` folder, which exists.
    package init(directory: String, readOnly: Bool) throws(StorageError) {
        guard try Files.info(directory, follow: false)?.isDirectory == true else {
            throw StorageError(
                .attachmentStore,
                "The folder of attachments, '\(directory)', is missing. Restore the database from a copy."
            )
        }
        self.directory = directory
        isReadOnly = readOnly
    }

    /// Forces the entry of a blob to the medium, and before its first use here that of its group.
    func syncGroup(of name: String) throws(StorageError) {
        let group = BlobName.group(name)
        try Files.syncDirectory(directory + "/" + group)
        guard !syncedGroups.withLock({ $0.contains(group) }) else { return }
        try Files.syncDirectory(directory)
        _ = syncedGroups.withLock { $0.insert(group) }
    }

    /// Where a blob is, of a valid name.
    func entry(_ name: String) -> FolderEntry {
        FolderEntry(base: directory, name: BlobName.group(name) + "/" + name)
    }

    func path(_ name: String) -> String { directory + "/" + BlobName.group(name) + "/" + name }

    /// The file of a blob that may be read in place; nil where there is none. In the trash it is found too.
    package func filePath(_ name: String) throws(StorageError) -> String? {
        guard BlobName.isValid(name) else { return nil }
        return try location(of: name)?.path
    }

    package func makeWriter() throws(StorageError) -> any BlobWriter {
        guard !isReadOnly else { throw .readOnly }
        return try FileBlobWriter(self)
    }

    package func reader(_ name: String) throws(StorageError) -> (any BlobReader)? {
        guard BlobName.isValid(name) else { return nil }
        return try FileBlobReader(entry(name))
    }

    package func size(_ name: String) throws(StorageError) -> UInt64? {
        guard BlobName.isValid(name) else { return nil }
        return try entry(name).fileInfo()?.size
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

    /// The blob's file where it has the content that its name says; nil where it is damaged or missing.
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
            do {
                piece = try reader.read(at: offset, count: BlobName.pieceSize)
            } catch  where error.code == .storage {
                return "the file cannot be read: \(error.message)"
            }
            if piece.isEmpty { break }
            hash.update(data: piece)
            offset += UInt64(piece.count)
        }
        let found = String(decoding: Hexadecimal.text(hash.finalize()), as: UTF8.self)
        return found == name ? nil : "the content (\(offset) bytes) has another SHA-256 than the name says"
    }
}
