public import Foundation
public import StorageProtocol

extension Database {
    /// Opens the database folder at `url`, any path, or makes it there: what `Manager` does for named databases,
    /// without a manager. The same rules hold, but for the name's. A new database without a storage type is `.sqlite`,
    /// whatever the environment says; the folder above it must exist.
    ///
    /// - Parameter engines: the engines that may be used; none other is known.
    /// - Throws: `badParameter` (495) where `url` is not a file's, `notFound` (404) without `options.create`,
    ///   `invalidStorageType` (497), `inUse` (423), `readOnly` (403), `fileSystem` (498), `full` (507), `corrupt` or
    ///   `unsupportedFormat` (591).
    public static func open(
        at url: URL,
        options: DatabaseOptions = DatabaseOptions(),
        engines: [any StorageEngineFactory]
    ) throws(StorageError) -> Database {
        guard url.isFileURL else { throw .noFileURL }
        let name = url.deletingPathExtension().lastPathComponent
        return try DatabaseOpener(engines: engines, defaultType: .sqlite)
            .open(path: url.path, name: name, options: options)
    }
}
