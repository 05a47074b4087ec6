public import Foundation
public import StorageProtocol

extension Database {
    /// Opens the database folder at `url`, or creates it there. Does for any path what `Manager` does for named
    /// databases. The same rules apply, except that for the name. A new database without a storage type is `.sqlite`,
    /// whatever the environment says. The parent folder must exist.
    ///
    /// - Parameters:
    ///   - engines: the only engines that are used.
    ///   - modules: the modules that take part, `[.views]` for instance.
    /// - Throws: `badParameter` (495) if `url` is not a file URL, `notFound` (404) without `options.create`,
    ///   `invalidStorageType` (497), `inUse` (423), `readOnly` (403), `fileSystem` (498), `full` (507), `corrupt` or
    ///   `unsupportedFormat` (591).
    public static func open(
        at url: URL,
        options: DatabaseOptions = DatabaseOptions(),
        engines: [any StorageEngineFactory],
        modules: [DatabaseModule] = []
    ) throws(StorageError) -> Database {
        guard url.isFileURL else { throw .noFileURL }
        let name = url.deletingPathExtension().lastPathComponent
        return try DatabaseOpener(engines: engines, modules: modules, defaultType: .sqlite)
            .open(path: url.path, name: name, options: options)
    }
}
