#if Sync
internal import ArgumentParser
internal import Foundation
internal import Settee

/// Opens the databases of `settee replicate`.
struct ReplicateDatabases {
    let type: StorageTypeOption
    let key: KeyOptions
    let newKey: NewKeyOptions
    let asJSON: Bool

    /// Opens a database. An encrypted one is opened with the key that is given, else with one that is typed.
    ///
    /// - Parameters:
    ///   - creating: Whether to make it if it is not there.
    ///   - source: What is copied into a new one: if it is encrypted, the new one has to be, too.
    ///   - check: Called before a new one is made, which is not if this throws.
    func open(
        _ path: String,
        creating: Bool = false,
        from source: Database? = nil,
        after check: () throws(StorageError) -> Void = {}
    ) throws(StorageError) -> Database {
        let folder = URL(argument: path, .isDirectory)
        var options = DatabaseOptions(create: false)
        do throws(StorageError) {
            return try Database.open(at: folder, options: options)
        } catch {
            switch error.code {
            case .unauthorized:
                options.key = try key.source.key(asJSON: asJSON)
                // The target of an earlier run has the new key.
                if options.key == nil { options.key = try newKey.source.key(asJSON: asJSON) }
                if options.key == nil { options.key = try KeyPrompt.ask(for: path) }
                guard options.key != nil else {
                    throw StorageError(
                        .unauthorized,
                        "'\(path)' is encrypted. Give its key with \(key.source.ways)."
                    )
                }
            case .notFound where creating:
                options.create = true
                options.storageType = try type.forNewDatabase()
                options.key = try newKey.source.key(asJSON: asJSON)
                if options.key == nil, try source?.statistics().isEncrypted == true {
                    throw StorageError(
                        .badRequest,
                        "The source is encrypted, and '\(path)' would not be. Give a key with \(newKey.source.ways)."
                    )
                }
                try check()
            default: throw error
            }
        }
        return try Database.open(at: folder, options: options)
    }
}
#endif
