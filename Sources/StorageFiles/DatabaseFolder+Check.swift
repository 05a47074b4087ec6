package import StorageProtocol

extension DatabaseFolder {
    /// What was wrong with the files of the manifest when the folder was opened.
    package var manifestProblemsAtOpening: [StorageProblem] {
        ManifestFiles.names.compactMap { name in
            let fault: ManifestFault? =
                damagedManifests.contains(name) ? .damaged : foreignManifests.contains(name) ? .foreign : nil
            return fault?.problem(name, isMended: access == .readWrite)
        }
    }

    /// Returns what is wrong with the files of the manifest now, and what was wrong when the folder was opened.
    package func manifestProblems() throws(StorageError) -> [StorageProblem] {
        let now = try manifestFaults()
        return ManifestFiles.names.flatMap { name in
            if let fault = now[name] { return [fault.problem(name, isMended: false)] }
            return manifestProblemsAtOpening.filter { $0.message.hasPrefix("'\(name)'") }
        }
    }

    /// Returns what is wrong with the files of the manifest, by their names.
    private func manifestFaults() throws(StorageError) -> [String: ManifestFault] {
        // With a descriptor of its own, because another thread of this process may be switching with the folder's.
        // During a switch the two copies are those of two generations, with a seal each.
        let entry = FolderEntry(base: path, name: "gate")
        var gate: LockFile?
        if let opened = try entry.openFile() { gate = LockFile(entry.path, opened) }
        guard try gate?.acquire(.shared, timeout: DatabaseFolder.defaultTimeout) ?? true else {
            throw DatabaseFolder.inUse(path, "is being converted, replaced or deleted by another process")
        }
        defer { gate?.release() }
        let (present, seal) = state.withLock { ($0.manifest.manifest, $0.seal) }
        let found = try ManifestFiles(folder: path).read()
        var faults: [String: ManifestFault] = [:]
        for name in found.damaged { faults[name] = .damaged }
        guard let seal else { return faults }
        // The seal is this database's: copies of other databases have other codes, whatever their data key is.
        let foreign = found.copies.filter { $0.code.map(Array.init) != seal.code(of: $0.sealedText) }
        for name in found.foreign(foreign, beside: present) { faults[name] = .foreign }
        return faults
    }
}

/// What is wrong with a file of the manifest.
private enum ManifestFault {
    /// The checksum is not right, or it cannot be read.
    case damaged
    /// The checksum is right, and the database's key did not write it.
    case foreign

    /// - Parameter isMended: Whether it was so when the database was opened for writing.
    func problem(_ name: String, isMended: Bool) -> StorageProblem {
        let (present, past) =
            switch self {
            case .damaged: ("is damaged", "was damaged when the database was opened")
            case .foreign:
                (
                    "was not written with this database's key: somebody put it there, or a change of the key was "
                        + "interrupted",
                    "was not written with this database's key when the database was opened (somebody put it there, or "
                        + "a change of the key was interrupted)"
                )
            }
        return StorageProblem(
            area: "manifest",
            message: isMended
                ? "'\(name)' \(past), and was written anew from the other copy."
                : "'\(name)' \(present). The other copy serves; opening the database for writing mends it."
        )
    }
}
