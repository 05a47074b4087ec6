internal import CSetteeStorageFiles
internal import StorageProtocol

/// A file or folder that is being made or removed: it has a name of its own kind, and its maker holds a lock on it.
/// What can be locked was left behind by a kill and may be swept.
enum Staging {
    private static let prefix = ".settee-staging-"

    static func name() -> String { prefix + Host.uniqueName() }

    static func isStagingName(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        return isUniqueName(String(name.dropFirst(prefix.utf8.count)))
    }

    /// Whether it has the form of what `Host.uniqueName` gives.
    static func isUniqueName(_ name: String) -> Bool {
        name.utf8.count == 32 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Makes a locked folder of a new name.
    static func makeDirectory(
        in parent: String,
        mode: Int32 = 0o777
    ) throws(StorageError) -> (name: String, lock: LockFile) {
        while true {
            let name = name()
            if let lock = try makeDirectory(parent + "/" + name, mode: mode) { return (name, lock) }
        }
    }

    /// Makes a locked folder; nil where the name is taken, or where a sweep was faster than the lock.
    static func makeDirectory(_ path: String, mode: Int32 = 0o777) throws(StorageError) -> LockFile? {
        guard try Files.makeDirectoryIfMissing(path, mode: mode) else { return nil }
        do {
            return try lock(path, isDirectory: true)
        } catch {
            _ = unsafe csf_unlink(CSF_CWD, path, 1)
            throw error
        }
    }

    /// Makes a locked empty file of a name that `name` gives. Each try has a name of its own: who sweeps goes by the
    /// name, and would remove a second file of the same one.
    static func makeFile(
        in parent: String,
        name: () -> String = Staging.name
    ) throws(StorageError) -> (path: String, lock: LockFile) {
        while true {
            let path = parent + "/" + name()
            let file = try Descriptor.open(path, [.write, .create, .exclusive, .noFollow])
            let lock = LockFile(path, file)
            do {
                if try lock.attempt(.exclusive), try isStillThere(lock) { return (path, lock) }
            } catch {
                _ = try? Files.remove(path)
                throw error
            }
            // Another looked whether it is stale; it is empty, and nobody knows its name.
            try Files.remove(path)
        }
    }

    /// Locks what is at `path`; nil where another has it, or where it is gone or replaced.
    static func lock(_ path: String, isDirectory: Bool) throws(StorageError) -> LockFile? {
        let options: Descriptor.Options = isDirectory ? [.directory, .noFollow] : .noFollow
        guard let opened = try Descriptor.openIfPresent(path, options) else { return nil }
        let lock = LockFile(path, opened)
        guard try lock.attempt(.exclusive), try isStillThere(lock) else { return nil }
        return lock
    }

    private static func isStillThere(_ lock: LockFile) throws(StorageError) -> Bool {
        let present = try Files.info(lock.path, follow: false)
        return try present?.identity == lock.descriptor.info(lock.path).identity
    }
}
