#if canImport(Darwin)
public import Foundation
public import StorageProtocol

extension Manager {
    /// Whether backups leave out the manager's directory, with all databases in it. Only Apple's platforms have this
    /// setting.
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

    /// Makes backups leave out the manager's directory, with all databases in it, or include it again.
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
