package import Settee
internal import StorageConformance
package import StorageProtocol

/// Opens another factory's stores and keeps references to them, so that a test can look below the database.
package final class KeepingFactory: ForwardingEngineFactory {
    package let base: any StorageEngineFactory
    private let kept = Locked<[(directory: String, engine: any StorageEngine)]>([])

    package init(_ base: any StorageEngineFactory) { self.base = base }

    package func open(directory: String, options: StorageOptions) throws(StorageError) -> any StorageEngine {
        let engine = try base.open(directory: directory, options: options)
        kept.withLock { $0.append((directory, engine)) }
        return engine
    }

    /// The store that was opened last in the folder of `database`, or the first one if it has no folder.
    package func engine(of database: Database) -> (any StorageEngine)? {
        kept.withLock { kept in
            guard let path = database.path else { return kept.first?.engine }
            return kept.last { $0.directory.hasPrefix(path + "/") }?.engine
        }
    }
}
