internal import StorageProtocol

/// The two copies of a folder's manifest on disk.
struct ManifestFiles {
    static let first = "manifest.json"
    static let copy = "manifest-copy.json"
    static let names = [first, copy]

    let folder: String

    /// What lies in the folder.
    struct Found {
        /// The manifest that counts.
        var manifest: Manifest
        /// The copies that differ from it, or are missing or damaged.
        var stale: [String]
    }

    /// Whether there is a manifest of any kind, valid or not.
    func exist() throws(StorageError) -> Bool {
        for name in ManifestFiles.names where try FolderEntry(base: folder, name: name).fileInfo() != nil {
            return true
        }
        return false
    }

    /// The valid copy with the highest serial whose generation exists.
    ///
    /// - Throws: `corrupt` (591) where there is none, `unsupportedFormat` (591) for a folder of something else, or where
    ///   the newest copy is for newer programs only.
    func read() throws(StorageError) -> Found {
        var copies: [(name: String, manifest: Manifest?)] = []
        var before: (text: [UInt8], manifest: Manifest?)?
        for name in ManifestFiles.names {
            guard let text = try text(name) else {
                copies.append((name, nil))
                continue
            }
            // They nearly always agree.
            let manifest = before?.text == text ? before?.manifest : Manifest.decode(text)
            before = (text, manifest)
            copies.append((name, manifest))
        }
        let valid = copies.compactMap(\.manifest).sorted { $0.serial > $1.serial }
        guard let newest = valid.first else { throw try notReadable() }
        guard newest.minReader <= Manifest.formatVersion else {
            throw StorageError(
                .unsupportedFormat,
                "'\(folder)' has format version \(newest.formatVersion), which asks for a program that reads version "
                    + "\(newest.minReader); this one reads \(Manifest.formatVersion). Use a newer version of Settee."
            )
        }
        for manifest in valid where try generationsExist(manifest) {
            return Found(manifest: manifest, stale: copies.filter { $0.manifest != manifest }.map(\.name))
        }
        throw StorageError(
            .corrupt,
            "'\(folder)' lacks the folder '\(newest.dataName)' or '\(newest.blobName)' that its manifest names. "
                + "Restore the database from a copy or an export."
        )
    }

    private func text(_ name: String) throws(StorageError) -> [UInt8]? {
        let path = folder + "/" + name
        guard let file = try FolderEntry(base: folder, name: name).openFile() else { return nil }
        let info = try file.info(path)
        guard info.size <= Manifest.largestSize else { return nil }
        do {
            return try file.read(at: 0, count: Int(info.size), path)
        } catch  where error.code == .storage {
            // The disk cannot read this copy; the other one may serve.
            return nil
        }
    }

    private func generationsExist(_ manifest: Manifest) throws(StorageError) -> Bool {
        for name in [manifest.dataName, manifest.blobName] {
            guard try FolderEntry(base: folder, name: name).isFolder() else { return false }
        }
        return true
    }

    private func notReadable() throws(StorageError) -> StorageError {
        let names = try Files.names(in: folder)
        guard names.contains(where: { Manifest.generation(named: $0)?.kind == .data }) else {
            return StorageError(
                .unsupportedFormat,
                "'\(folder)' is not a Settee database: it has no valid manifest and no data. Check the path."
            )
        }
        return StorageError(
            .corrupt,
            "Both copies of the manifest of '\(folder)' are damaged or missing. Restore manifest.json from a copy of "
                + "the database; the data folders beside it are as they were."
        )
    }

    /// Replaces one copy: after a kill at any instant the old or the new one is there, whole.
    ///
    /// - Parameter renamed: called as soon as the new text is visible; what fails later leaves it visible.
    func write(_ manifest: Manifest, to name: String, renamed: () -> Void = {}) throws(StorageError) {
        let (path, lock) = try Staging.makeFile(in: folder)
        do {
            try unsafe lock.descriptor.write(manifest.encoded().span.bytes, path)
            try lock.descriptor.sync(path)
            try Files.rename(path, to: folder + "/" + name)
        } catch {
            _ = try? Files.remove(path)
            throw error
        }
        renamed()
        try Files.syncDirectory(folder)
    }
}
