#if RocksDB
internal import StorageProtocol

extension RocksDBStore {
    static func open(
        _ path: String,
        _ options: StorageOptions,
        memory: Int
    ) throws(StorageError) -> RocksDBHandles {
        if options.besideWriter { return try RocksDBHandles.besideWriter(path, memory: memory) }
        return try RocksDBHandles(path, options.readOnly ? .reading : .writing, memory: memory)
    }

    /// Compares the files with the list of those that the last closing left, and walks the logs.
    ///
    /// - Throws: `corrupt` (591) if a file is missing or was cut, or if something was committed behind the damage,
    ///   unless damage is tolerated: RocksDB then reads what is before it.
    static func problems(
        ofLogsIn path: String,
        _ options: StorageOptions
    ) throws(StorageError) -> [StorageProblem] {
        // Without it there is nothing to be read.
        let manifest = try RocksDBInventory.manifest(in: path)
        do throws(StorageError) {
            try RocksDBInventory.check(path, manifest: manifest)
            let logs = try RocksDBLogs(in: path, try RocksDBManifest(path + "/" + manifest))
            return logs.problem.map { [$0] } ?? []
        } catch {
            guard options.toleratesDamage, error.code == .corrupt else { throw error }
            return [StorageProblem(area: "log", message: error.message)]
        }
    }

    /// Makes an empty database. It gets its name when it is complete.
    static func create(in directory: String) throws(StorageError) {
        try RocksDBFolder.removeUnfinished(in: directory)
        let path = directory + "/" + RocksDBFolder.newName
        do throws(StorageError) {
            try RocksDBFolder.make(path)
            _ = try RocksDBHandles(path, .new, memory: 1 << 20)
            try StoreFiles.rename(path, to: directory + "/" + RocksDBFolder.name)
            try StoreFiles.syncDirectory(directory)
        } catch {
            try? RocksDBFolder.removeUnfinished(in: directory)
            throw error
        }
    }
}
#endif
