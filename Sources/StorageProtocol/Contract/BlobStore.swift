/// Content-addressed storage of attachments' bytes: a blob's name is made from its content, and a blob that has
/// appeared never changes.
///
/// Every requirement may be called from any thread. Content appears atomically: after a kill a blob is whole or absent.
public protocol BlobStore: AnyObject, Sendable {
    /// Begins a blob. Nothing is visible until `BlobWriter.publish`.
    func makeWriter() throws(StorageError) -> any BlobWriter

    /// The name that a blob has in this store, whether it is there or not. Another store, of another generation say,
    /// may call the same content differently.
    ///
    /// - Parameter digest: the SHA-256 of its content, 32 bytes.
    func name(ofSHA256 digest: [UInt8]) -> String

    /// Opens a blob for reading, nil where there is none of this name, or no blob can have it.
    ///
    /// - Throws: `corrupt` (591) where it is seen to be damaged.
    func reader(_ name: String) throws(StorageError) -> (any BlobReader)?

    /// The content's length in bytes, nil where there is no such blob.
    ///
    /// - Throws: `corrupt` (591) where it is seen to be damaged.
    func size(_ name: String) throws(StorageError) -> UInt64?

    /// The file that has the content's bytes and nothing else, for others to read in place, also from the trash. Nil
    /// where there is none: the store has no files, or encodes what they hold.
    func filePath(_ name: String) throws(StorageError) -> String?

    /// The names of all blobs, in no order, until `body` returns false.
    func names(_ body: (String) throws(StorageError) -> Bool) throws(StorageError)

    /// Moves a blob to the trash: it is absent from then on, and `restore` brings it back. Called under the writer
    /// lock.
    ///
    /// - Parameter epoch: the store's change counter when nothing referred to the blob any more.
    /// - Returns: false where there is no such blob.
    func moveToTrash(_ name: String, epoch: UInt64) throws(StorageError) -> Bool

    /// Brings a blob back from the trash. False where it is not there. Called under the writer lock.
    func restore(_ name: String) throws(StorageError) -> Bool

    /// Opens a blob that is in the trash, for a snapshot from before it went there. Nil where it is not in the trash.
    func trashedReader(_ name: String) throws(StorageError) -> (any BlobReader)?

    /// Deletes for good what went to the trash at an epoch below `epoch`: no snapshot older than that lives.
    ///
    /// - Returns: how many blobs went, and how many bytes of contents.
    func emptyTrash(before epoch: UInt64) throws(StorageError) -> (blobs: Int, bytes: UInt64)

    /// What the trash holds, in no order, until `body` returns false.
    func trash(
        _ body: (_ name: String, _ epoch: UInt64, _ bytes: UInt64) throws(StorageError) -> Bool
    ) throws(StorageError)

    /// Removes what writers that were killed have left half written; what is being written stays.
    func removeAbandoned() throws(StorageError)

    /// Checks that the content of `name` is what its name says. Nil: yes; else what is wrong, and no error where that
    /// is damage.
    func verify(_ name: String) throws(StorageError) -> String?
}

extension BlobStore {
    /// Nil: a store has no files that others may read, unless it says otherwise.
    public func filePath(_ name: String) throws(StorageError) -> String? { nil }

    /// What the trash holds, in no order.
    public func trash() throws(StorageError) -> [(name: String, epoch: UInt64)] {
        var entries: [(name: String, epoch: UInt64)] = []
        try trash { (name, epoch, _) throws(StorageError) in
            entries.append((name, epoch))
            return true
        }
        return entries
    }
}

/// A blob being written. Belongs to one thread at a time.
public protocol BlobWriter: AnyObject {
    /// Adds bytes at the end.
    func append(_ bytes: RawSpan) throws(StorageError)

    /// Ends writing: the content is on disk (synced where it is a file), but not yet visible.
    func finish() throws(StorageError) -> BlobContent

    /// Opens a finished blob for reading, visible or not. What is open stays readable after `publish` and `cancel`.
    func reader() throws(StorageError) -> any BlobReader

    /// Makes a finished blob visible; nothing happens where the same content is there already. Called under the writer
    /// lock.
    func publish() throws(StorageError)

    /// Gives up; what was written is removed. Nothing happens after `publish`. Letting the writer go does the same.
    func cancel()
}

/// What was written: its name and digests, computed in one pass.
public struct BlobContent: Sendable, Equatable {
    /// The name in the store that it was written to: 64 hexadecimal digits.
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

/// A blob being read: unaffected by trash and deletion while it is open. Belongs to one thread at a time.
public protocol BlobReader: AnyObject {
    /// The content's length in bytes.
    var length: UInt64 { get }

    /// Reads up to `count` bytes from `offset`; fewer only at the end, none past it.
    ///
    /// - Throws: `corrupt` (591) where they are seen to be damaged.
    func read(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8]
}
