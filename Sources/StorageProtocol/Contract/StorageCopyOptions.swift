/// The key and compression of a copy.
public struct StorageCopyOptions: Sendable {
    /// How the key of the copy relates to that of the source.
    public enum Key: Sendable, Equatable {
        /// The copy has the source's key, or none if the source has none.
        case same
        /// The copy is not encrypted, even if the source is.
        case none
        /// The copy is encrypted with this key.
        case other(StorageKey)
    }

    /// The copy's key.
    public var key: Key
    /// The copy's compression; nil: the same as the source.
    public var compression: Compression?

    public init(key: Key = .same, compression: Compression? = nil) {
        self.key = key
        self.compression = compression
    }
}

extension StorageEngine {
    /// For `copy` and `beginRewrite` of engines whose copies always have the same key and compression as the store:
    /// checks `options` before anything is written.
    ///
    /// - Throws: `notImplemented` (501) if another key or compression is requested.
    public func requireSame(_ options: StorageCopyOptions) throws(StorageError) {
        // A store that is not encrypted stays unencrypted.
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
