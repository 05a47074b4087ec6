/// How a store keeps the bodies of documents. Chosen when it is made; what is read is the same.
public enum Compression: String, Sendable, CaseIterable {
    /// As they are.
    case uncompressed = "none"
    /// By LZ4, with a dictionary that is made of the store's own documents.
    case lz4
}

extension StorageEngineFactory {
    /// Checks that a store can have the compression that was asked for, if any was.
    ///
    /// - Parameter present: that of the store; nil: it is yet to be made.
    /// - Throws: `notImplemented` (501) where no store of this type can, `badParameter` (495) where this one has another.
    package func check(_ wanted: Compression?, present: Compression? = nil) throws(StorageError) {
        guard let wanted else { return }
        guard compressions.contains(wanted) else {
            throw StorageError(
                .notImplemented,
                "Databases of type '\(storageType)' cannot be compressed. Use the storage type lmdb, or no compression."
            )
        }
        guard let present, present != wanted else { return }
        throw StorageError(
            .badParameter,
            """
            The database was made with the compression '\(present.rawValue)', not '\(wanted.rawValue)'. Open it without a \
            compression, or export it and import that into a new database.
            """
        )
    }
}
