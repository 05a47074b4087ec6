package import StorageProtocol

extension FileBlobStore {
    private var trash: FolderEntry { FolderEntry(base: directory, name: FileBlobStore.trashName) }

    private func trashed(_ name: String, _ epoch: UInt64) -> FolderEntry {
        let digits = String(epoch)
        let padding = String(repeating: "0", count: 20 - digits.utf8.count)
        return FolderEntry(base: directory, name: FileBlobStore.trashName + "/" + padding + digits + "-" + name)
    }

    package func moveToTrash(_ name: String, epoch: UInt64) throws(StorageError) -> Bool {
        guard !isReadOnly else { throw .readOnly }
        guard try isInPlace(name) else { return false }
        if try !trash.isFolder() { _ = try Files.makeDirectoryIfMissing(trash.path) }
        try Files.rename(path(name), to: trashed(name, epoch).path)
        return true
    }

    package func restore(_ name: String) throws(StorageError) -> Bool {
        guard !isReadOnly else { throw .readOnly }
        guard let epoch = try newestEpoch(name) else { return false }
        // The group's folder is never removed, and the files in the trash came from it.
        try FolderEntry(base: directory, name: BlobName.group(name)).isFolder()
        try Files.rename(trashed(name, epoch).path, to: path(name))
        try syncGroup(of: name)
        return true
    }

    package func trashedReader(_ name: String) throws(StorageError) -> (any BlobReader)? {
        guard BlobName.isValid(name), let epoch = try newestEpoch(name) else { return nil }
        return try FileBlobReader(trashed(name, epoch), name, codec)
    }

    package func emptyTrash(before epoch: UInt64) throws(StorageError) -> (blobs: Int, bytes: UInt64) {
        guard !isReadOnly else { throw .readOnly }
        var blobs = 0
        var bytes: UInt64 = 0
        try trashEntries { (name, entryEpoch) throws(StorageError) in
            guard entryEpoch < epoch else { return true }
            let path = trashed(name, entryEpoch).path
            guard let info = try Files.info(path, follow: false), try Files.remove(path) else { return true }
            blobs += 1
            bytes += length(of: info)
            return true
        }
        return (blobs, bytes)
    }

    package func trash(
        _ body: (_ name: String, _ epoch: UInt64, _ bytes: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try trashEntries { (name, epoch) throws(StorageError) in
            // Another process may have removed it in the meantime.
            guard let info = try Files.info(trashed(name, epoch).path, follow: false) else { return true }
            return try body(name, epoch, length(of: info))
        }
    }

    private func trashEntries(
        _ body: (_ name: String, _ epoch: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard try trash.isFolder() else { return }
        try Files.forEachName(in: trash.path) { (entry) throws(StorageError) in
            let parts = entry.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].utf8.count == 20, let epoch = UInt64(parts[0]),
                BlobName.isValid(String(parts[1]))
            else { return true }
            return try body(String(parts[1]), epoch)
        }
    }

    /// Returns the location of a blob's file, in the trash or not; nil if there is none.
    func location(of name: String) throws(StorageError) -> FolderEntry? {
        if try isInPlace(name) { return entry(name) }
        return try newestEpoch(name).map { trashed(name, $0) }
    }

    /// Returns the length of the content, or that of the file if it is damaged.
    func length(of file: FileInfo) -> UInt64 { (try? codec.length(ofFileSize: file.size)) ?? file.size }

    private func newestEpoch(_ name: String) throws(StorageError) -> UInt64? {
        var newest: UInt64?
        try trashEntries { (entry, epoch) throws(StorageError) in
            if entry == name { newest = max(newest ?? 0, epoch) }
            return true
        }
        return newest
    }

    package func removeAbandoned() throws(StorageError) {
        guard !isReadOnly else { throw .readOnly }
        try StagingSweep.sweep(directory)
    }
}
