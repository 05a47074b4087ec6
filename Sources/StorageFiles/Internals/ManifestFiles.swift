internal import StorageProtocol

/// The two copies of a folder's manifest on disk.
struct ManifestFiles {
    static let first = "manifest.json"
    static let copy = "manifest-copy.json"
    static let names = [first, copy]

    let folder: String

    /// The manifests found in a folder.
    struct Found: Equatable {
        /// The copies whose checksum is right, the highest serial first. At least one.
        var copies: [ManifestCopy]
        /// Those of them whose generations do not exist.
        var incomplete: [ManifestCopy]
        /// The content of each file; nil if it is missing or damaged.
        fileprivate var files: [String: ManifestCopy]
        /// The existing files that cannot be read, or are not a manifest.
        var damaged: [String]

        /// Returns the files that must be rewritten if `present` is in effect.
        func stale(beside present: ManifestCopy) -> [String] {
            ManifestFiles.names.filter { files[$0] != present }
        }

        /// Returns the files with one of these copies, none of which was written with the key of `present`. The copy of
        /// before a switch to another key is left out: a kill between the two writes leaves it.
        func foreign(_ copies: [ManifestCopy], beside present: Manifest) -> [String] {
            let foreign = copies.filter { copy in
                let isPrevious =
                    copy.manifest.serial < .max && copy.manifest.serial + 1 == present.serial
                    && copy.manifest.databaseUUID == present.databaseUUID
                    && copy.manifest.dataGeneration != present.dataGeneration && !incomplete.contains(copy)
                return !isPrevious
            }
            return ManifestFiles.names.filter { name in files[name].map(foreign.contains) == true }
        }
    }

    /// Whether there is a manifest of any kind, valid or not.
    func exist() throws(StorageError) -> Bool {
        for name in ManifestFiles.names where try FolderEntry(base: folder, name: name).fileInfo() != nil {
            return true
        }
        return false
    }

    /// Returns the valid copies, none of which is judged beyond its checksum: `DatabaseFolder.Reading` does that.
    ///
    /// - Throws: `corrupt` (591) if there is none, `unsupportedFormat` (591) for a folder that is not a database.
    func read() throws(StorageError) -> Found {
        var files: [String: ManifestCopy] = [:]
        var valid: [ManifestCopy] = []
        var damaged: [String] = []
        for name in ManifestFiles.names {
            guard let file = try FolderEntry(base: folder, name: name).openFile() else { continue }
            guard let text = try text(file, name) else {
                damaged.append(name)
                continue
            }
            // Both copies are almost always equal.
            if let same = valid.first(where: { $0.text == text }) {
                files[name] = same
            } else if let copy = ManifestCopy(text) {
                files[name] = copy
                valid.append(copy)
            } else {
                damaged.append(name)
            }
        }
        guard !valid.isEmpty else { throw try notReadable() }
        valid.sort { $0.manifest.serial > $1.manifest.serial }
        var incomplete: [ManifestCopy] = []
        for copy in valid where try !generationsExist(copy.manifest) { incomplete.append(copy) }
        return Found(copies: valid, incomplete: incomplete, files: files, damaged: damaged)
    }

    /// Nil if it is too long for a manifest, or cannot be read.
    private func text(_ file: borrowing Descriptor, _ name: String) throws(StorageError) -> [UInt8]? {
        let path = folder + "/" + name
        let info = try file.info(path)
        guard info.size <= Manifest.largestSize else { return nil }
        do {
            return try file.read(at: 0, count: Int(info.size), path)
        } catch  where error.code == .storage {
            // The disk cannot read this copy; the other one may be usable.
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

    /// Replaces one copy: after a kill at any moment either the old or the new one exists in full.
    ///
    /// - Parameter renamed: Called as soon as the new text is visible. A later failure leaves it visible.
    func write(_ copy: ManifestCopy, to name: String, renamed: () -> Void = {}) throws(StorageError) {
        let (path, lock) = try Staging.makeFile(in: folder)
        do {
            try unsafe lock.descriptor.write(copy.text.span.bytes, path)
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
