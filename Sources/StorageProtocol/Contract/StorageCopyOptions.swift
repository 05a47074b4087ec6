/// What a copy is to be.
public struct StorageCopyOptions: Sendable {
    /// What becomes of the source's key.
    public enum Key: Sendable, Equatable {
        /// The copy has the source's, or none where that has none.
        case same
        /// The copy is not encrypted, though the source may be.
        case none
        /// The copy is encrypted with this one.
        case other(StorageKey)
    }

    /// The copy's key.
    public var key: Key
    /// The copy's compression; nil: that of the source.
    public var compression: Compression?

    public init(key: Key = .same, compression: Compression? = nil) {
        self.key = key
        self.compression = compression
    }
}

extension StorageEngine {
    /// What an engine asks in `copy` and `beginRewrite`, before it writes anything, whose copies are as the store is.
    ///
    /// - Throws: `notImplemented` (501) where the copy is to have another key or compression.
    public func requireSame(_ options: StorageCopyOptions) throws(StorageError) {
        // A store that is not encrypted stays so.
        guard options.key == .same || (options.key == .none && !capabilities.encrypts) else {
            throw StorageError(
                .notImplemented,
                "Databases of type '\(storageType)' are copied with the key that they have. Export the database and "
                    + "import that."
            )
        }
        guard options.compression == nil || options.compression == compression else {
            throw StorageError(
                .notImplemented,
                "Databases of type '\(storageType)' are copied with the compression that they have, "
                    + "'\(compression.rawValue)'. "
                    + "Export the database and import that."
            )
        }
    }
}
