#if RocksDB
internal import SetteeSystemLibrary
internal import StorageProtocol

extension RocksDBHandles {
    /// How often an opening is tried while the other process changes its list of files, which it does when it has
    /// written or rewritten some.
    private static let attempts = 20

    /// Opens a database that another process has and goes on writing, in the state of this moment.
    ///
    /// That state is whole if the list of files, the manifest, was the same before and after: then all that it names
    /// was there, and what is in no table file was in the logs.
    static func besideWriter(_ path: String, memory: Int) throws(StorageError) -> RocksDBHandles {
        var failure: StorageError?
        for attempt in 0..<attempts {
            if attempt > 0 { usleep(UInt32(attempt) * 5000) }
            let before = try version(path)
            do throws(StorageError) {
                let handles = try secondary(path, memory: memory)
                if try version(path) == before { return handles }
            } catch {
                failure = error
                // It is the files, then.
                if try version(path) == before, attempt > 2 { throw error }
            }
        }
        throw failure
            ?? StorageError(
                .busy,
                "The process that has the database open changes its files all the time. Try again, or close it there."
            )
    }

    /// The manifest and its length.
    private static func version(_ path: String) throws(StorageError) -> String {
        let manifest = try RocksDBInventory.manifest(in: path)
        return "\(manifest) \(StoreFiles.size(path + "/" + manifest))"
    }

    /// RocksDB needs a folder for a log of its own, to which it writes nothing here. The folder is removed at once, so
    /// that a killed process does not leave it behind.
    private static func secondary(_ path: String, memory: Int) throws(StorageError) -> RocksDBHandles {
        let place = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array((place + "/settee-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw StoreFiles.failure("make a folder in", place) }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            for name in (try? StoreFiles.names(in: folder)) ?? [] { StoreFiles.remove(folder + "/" + name) }
            unsafe _ = rmdir(folder)
        }
        return try RocksDBHandles(path, .besideWriter, memory: memory, privateFolder: folder)
    }
}
#endif
