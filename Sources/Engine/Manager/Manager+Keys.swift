internal import SetteeStorageFiles
internal import StorageProtocol

extension Manager {
    /// Whether a database in the directory needs a key. Reads manifests only.
    ///
    /// - Throws: `fileSystem` (498) if the directory cannot be read.
    package var hasEncryptedDatabases: Bool {
        get throws(StorageError) {
            for name in try allDatabaseNames {
                let folder = try path + "/" + DatabaseName.folderName(name)
                if DatabaseFolder.manifests(at: folder).contains(where: { $0.manifest.isEncrypted }) { return true }
            }
            return false
        }
    }
}
