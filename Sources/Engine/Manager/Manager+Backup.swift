#if canImport(Darwin)
public import Foundation
public import StorageProtocol

extension Manager {
    /// Whether the manager's directory, with all databases in it, is left out of backups. Only Apple's platforms have
    /// that.
    ///
    /// - Throws: `fileSystem` (498).
    public var excludedFromBackup: Bool {
        get throws(StorageError) {
            do {
                let values = try directory.resourceValues(forKeys: [.isExcludedFromBackupKey])
                return values.isExcludedFromBackup ?? false
            } catch {
                throw StorageError(.fileSystem, "The directory's backup setting could not be read.", cause: error)
            }
        }
    }

    /// Leaves the manager's directory, with all databases in it, out of backups, or takes it in again.
    ///
    /// - Throws: `fileSystem` (498).
    public func setExcludedFromBackup(_ excluded: Bool) throws(StorageError) {
        do {
            var url = directory
            var values = URLResourceValues()
            values.isExcludedFromBackup = excluded
            try url.setResourceValues(values)
        } catch {
            throw StorageError(.fileSystem, "The directory's backup setting could not be changed.", cause: error)
        }
    }
}
#endif
