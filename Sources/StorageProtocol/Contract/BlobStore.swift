/// Content-addressed storage for the bytes of attachments. A blob's name is derived from its content, and a published
/// blob never changes.
///
/// Every requirement may be called from any thread. Content appears atomically: after the process is killed, a blob is
/// either complete or absent.
public protocol BlobStore: AnyObject, Sendable {
    /// Begins a new blob. Nothing is visible until `BlobWriter.publish`.
    func makeWriter() throws(StorageError) -> any BlobWriter

    /// Returns the name of a blob in this store, whether or not the blob exists. Another store, for example one of
    /// another generation, may use a different name for the same content.
    ///
    /// - Parameter digest: The SHA-256 of the content, 32 bytes.
    func name(ofSHA256 digest: [UInt8]) -> String

    /// Opens a blob for reading. Returns nil if there is no blob with this name, or if `name` cannot be the name of a
    /// blob.
    ///
    /// - Throws: `corrupt` (591) if the blob is found to be damaged.
    func reader(_ name: String) throws(StorageError) -> (any BlobReader)?

    /// Returns the length of the content in bytes, or nil if there is no such blob.
    ///
    /// - Throws: `corrupt` (591) if the blob is found to be damaged.
    func size(_ name: String) throws(StorageError) -> UInt64?

    /// Returns the path of the file that holds the bytes of the content and nothing else, so that other code can read
    /// it in place. The blob may also be in the trash. Returns nil if there is no such file: the store has no files, or
    /// it encodes their content.
    func filePath(_ name: String) throws(StorageError) -> String?

    /// Passes the names of all blobs to `body`, in no particular order, until it returns false.
    func names(_ body: (String) throws(StorageError) -> Bool) throws(StorageError)

    /// Moves a blob to the trash. The blob is then absent until `restore` brings it back. Called under the writer lock.
    ///
    /// - Parameter epoch: The store's change counter when the last reference to the blob was removed.
    /// - Returns: False if there is no such blob.
    func moveToTrash(_ name: String, epoch: UInt64) throws(StorageError) -> Bool

    /// Brings a blob back from the trash. Returns false if it is not in the trash. Called under the writer lock.
    func restore(_ name: String) throws(StorageError) -> Bool

    /// Opens a blob in the trash, for a snapshot older than its removal. Returns nil if it is not in the trash.
    func trashedReader(_ name: String) throws(StorageError) -> (any BlobReader)?

    /// Permanently deletes the blobs that were moved to the trash at an epoch below `epoch`. No snapshot older than
    /// that is alive.
    ///
    /// - Returns: The number of blobs deleted and the bytes of their contents.
    func emptyTrash(before epoch: UInt64) throws(StorageError) -> (blobs: Int, bytes: UInt64)

    /// Passes the entries of the trash to `body`, in no particular order, until it returns false.
    func trash(
        _ body: (_ name: String, _ epoch: UInt64, _ bytes: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Removes what killed writers left behind half written. Blobs that are still being written stay.
    func removeAbandoned() throws(StorageError)

    /// Checks that the content of `name` matches its name. Returns nil if it does, else a description of what is wrong.
    /// Damage is returned in this way and not thrown.
    func verify(_ name: String) throws(StorageError) -> String?
}

extension BlobStore {
    /// The default is nil: a store has no files that other code may read.
    public func filePath(_ name: String) throws(StorageError) -> String? { nil }

    /// Returns the entries of the trash, in no particular order.
    public func trash() throws(StorageError) -> [(name: String, epoch: UInt64)] {
        var entries: [(name: String, epoch: UInt64)] = []
        try trash { (name, epoch, _) throws(StorageError) in
            entries.append((name, epoch))
            return true
        }
        return entries
    }
}

/// Writes one blob. Belongs to one thread at a time.
public protocol BlobWriter: AnyObject {
    /// Appends bytes.
    func append(_ bytes: RawSpan) throws(StorageError)

    /// Ends writing. The content is then on disk (synced if it is a file) but not yet visible.
    func finish() throws(StorageError) -> BlobContent

    /// Opens a finished blob for reading, whether or not it is visible. An open reader stays usable after `publish` and
    /// `cancel`.
    func reader() throws(StorageError) -> any BlobReader

    /// Makes a finished blob visible. Does nothing if the same content is already there. Called under the writer lock.
    func publish() throws(StorageError)

    /// Discards the blob and removes what was written. Does nothing after `publish`. Releasing the writer has the same
    /// effect.
    func cancel()
}

/// The name and digests of a written blob, computed in one pass.
public struct BlobContent: Sendable, Equatable {
    /// The name in the store it was written to: 64 hexadecimal digits.
    public var storageName: String
    /// SHA-1 of the content, 20 bytes.
    public var sha1: [UInt8]
    /// SHA-256 of the content, 32 bytes.
    public var sha256: [UInt8]
    /// The content's length in bytes.
    public var length: UInt64

    public init(storageName: String, sha1: [UInt8], sha256: [UInt8], length: UInt64) {
        self.storageName = storageName
        self.sha1 = sha1
        self.sha256 = sha256
        self.length = length
    }
}

/// Reads one blob. Moving the blob to the trash or deleting it does not affect an open reader. Belongs to one thread at
/// a time.
public protocol BlobReader: AnyObject {
    /// The content's length in bytes.
    var length: UInt64 { get }

    /// Reads up to `count` bytes from `offset`. Returns fewer only at the end of the content, and none past it.
    ///
    /// - Throws: `corrupt` (591) if the bytes are found to be damaged.
    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8]
}
