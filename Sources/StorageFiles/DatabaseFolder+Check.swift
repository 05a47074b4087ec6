package import StorageProtocol

extension DatabaseFolder {
    /// Returns what is wrong with the files of the manifest now, and what was wrong when the folder was opened.
    package func manifestProblems() throws(StorageError) -> [StorageProblem] {
        let now = try ManifestFiles(folder: path).read().damaged
        return ManifestFiles.names.compactMap { name in
            if now.contains(name) {
                return StorageProblem(
                    area: "manifest",
                    message: "'\(name)' is damaged. The other copy serves; opening the database for writing mends it."
                )
            }
            guard damagedManifests.contains(name) else { return nil }
            return StorageProblem(
                area: "manifest",
                message: "'\(name)' was damaged when the database was opened, and was written anew from the other copy."
            )
        }
    }
}
