internal import StorageProtocol

/// Removes leftovers when a database is opened for writing. Failures are ignored: what cannot be removed now is removed
/// at a later open.
enum Sweep {
    /// Called with `gate` held, so that no switch can change what is referenced, and after the manifests were repaired.
    static func folder(_ path: String, _ copy: ManifestCopy) {
        let manifest = copy.manifest
        if let parent = parent(of: path) { _ = try? StagingSweep.sweep(parent) }
        let names = (try? Files.names(in: path)) ?? []
        StagingSweep.sweep(path, names)
        _ = try? StagingSweep.sweep(path + "/" + manifest.blobName)
        let kept = resumable(path, copy, names)
        for marked in names.compactMap({ GenerationMark.generation(markedBy: $0) }) where !kept.contains(marked) {
            if names.contains(marked), marked != manifest.dataName, marked != manifest.blobName {
                generation(path, marked)
            } else {
                GenerationMark.remove(path, marked)
            }
        }
        holders(path)
    }

    /// Returns the generations with which a conversion can continue. Removes a conversion file that names none.
    private static func resumable(_ folder: String, _ manifest: ManifestCopy, _ names: [String]) -> [String] {
        guard names.contains(ConversionFile.name) else { return [] }
        if let file = ConversionFile.read(in: folder), file.isValid(in: folder, for: manifest, names: names) {
            return file.place.names
        }
        ConversionFile.remove(in: folder)
        return []
    }

    /// Removes a generation of ours that no manifest names, unless it is being built, or still read after a switch.
    static func generation(_ folder: String, _ name: String) {
        guard let lock = try? Staging.lock(folder + "/" + name, isDirectory: true) else { return }
        _ = try? removeLocked(folder, name, lock)
    }

    /// Removes a generation's folder whose lock the caller holds. It is renamed first, so that a partly removed folder
    /// is never mistaken for a generation.
    static func removeLocked(_ folder: String, _ name: String, _ lock: LockFile) throws(StorageError) {
        defer { lock.release() }
        let staged = folder + "/" + Staging.name()
        try Files.rename(folder + "/" + name, to: staged)
        try Files.syncDirectory(folder)
        GenerationMark.remove(folder, name)
        try DirectoryTree.remove(staged)
    }

    private static func holders(_ path: String) {
        let directory = path + "/" + Holders.directoryName
        guard (try? Holders.entry(path).isFolder()) == true else { return }
        for name in (try? Files.names(in: directory)) ?? [] where Holders.isHolderName(name) {
            let file = directory + "/" + name
            guard (try? Files.info(file, follow: false))?.isRegular == true,
                let lock = try? Staging.lock(file, isDirectory: false)
            else { continue }
            _ = try? Files.remove(file)
            lock.release()
        }
    }

    /// Returns the folder that contains `path` (absolute, without symbolic links).
    static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), path != "/" else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
