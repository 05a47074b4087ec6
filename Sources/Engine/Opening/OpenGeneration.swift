package import StorageProtocol

/// One generation of a database's engine with the contents of its attachments, and the number of transactions that use
/// it. Guarded by `Database`'s state lock, except for what never changes.
package final class OpenGeneration {
    package let engine: any StorageEngine
    package let setup: StorageSetup
    package let blobs: GenerationBlobs
    /// Its number in the manifest; 0 without a folder.
    package let number: UInt64
    var users = 0
    /// The work to do when the last user has ended, after a newer generation has taken over or the database was closed.
    var retirement: (@Sendable () -> Void)?

    init(_ engine: any StorageEngine, _ setup: StorageSetup, _ blobs: GenerationBlobs, number: UInt64) {
        self.engine = engine
        self.setup = setup
        self.blobs = blobs
        self.number = number
    }

    /// Returns the blob store of this generation's attachments: the engine's own, or the files next to it.
    package func blobStore() throws(StorageError) -> any BlobStore {
        if let own = engine.blobStore { return own }
        return try blobs.files()
    }
}
