internal import CSetteeStorageFiles
internal import StorageProtocol

/// A file or folder that is being created or removed. It has a name of a special form, and its creator holds a lock on
/// it. If it can be locked, it was left behind by a kill and may be swept.
enum Staging {
    private static let prefix = ".settee-staging-"

    static func name() -> String { prefix + Host.uniqueName() }

    static func isStagingName(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        return isUniqueName(String(name.dropFirst(prefix.utf8.count)))
    }

    /// Whether it has the form of `Host.uniqueName`.
    static func isUniqueName(_ name: String) -> Bool {
        name.utf8.count == 32 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Creates a locked folder with a new name.
    static func makeDirectory(
        in parent: String,
        mode: Int32 = 0o777
    ) throws(StorageError) -> (name: String, lock: LockFile) {
        while true {
            let name = name()
            if let lock = try makeDirectory(parent + "/" + name, mode: mode) { return (name, lock) }
        }
    }

    /// Creates a locked folder; without a mode, as private as the folder that it is in. Nil if the name is taken, or if
    /// a sweep was faster than the lock.
    static func makeDirectory(_ path: String, mode: Int32? = nil) throws(StorageError) -> LockFile? {
        guard try Files.makeDirectoryIfMissing(path, mode: mode) else { return nil }
        do {
            return try lock(path, isDirectory: true)
        } catch {
            _ = unsafe csf_unlink(CSF_CWD, path, 1)
            throw error
        }
    }

    /// Creates a locked empty file with a name made by `name`. Each attempt uses another name, because a sweep goes by
    /// the name and would remove a second file with the same one.
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
            // Another process has locked it to check whether it is stale. It is empty, and its name is not known to
            // anyone.
            try Files.remove(path)
        }
    }

    /// Locks what is at `path`; nil if another process has locked it, or if it was removed or replaced.
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
