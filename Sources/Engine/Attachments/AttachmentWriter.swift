public import StorageProtocol

/// The content of a future attachment, which arrives in pieces. Releasing the writer without `finish` discards what was
/// written, and so does the end of the process.
///
/// Memory does not grow with the content, and other writers do not wait. It can be used from any thread, by one after
/// the other.
///
/// ```swift
/// let writer = try database.makeAttachmentWriter()
/// for piece in pieces { try writer.append(piece) }
/// let staged = try writer.finish()
/// try document.put(["_attachments": ["photo.jpg": ["follows": true, "digest": .string(staged.digest)]]])
/// ```
public final class AttachmentWriter: Sendable {
    private let database: Database
    private let work: Locked<Work>
    private let began: UInt64?
    private let keepsMD5: Bool

    /// @unchecked: accessed by one thread at a time, under the lock.
    private struct Work: @unchecked Sendable {
        let store: any BlobStore
        let writer: any BlobWriter
        let md5: ConcurrentMD5?
        /// Set as long as the content may be gzip.
        var decoded: DecodedLength?
        var isFinished = false
    }

    /// - Parameters:
    ///   - keepsMD5: whether the MD5 is stored with the content.
    ///   - decodedLimit: Determines the decoded length of content that may be gzip, up to this many bytes; nil: the
    ///     length is not needed.
    init(
        in database: Database,
        withMD5: Bool,
        keepsMD5: Bool = false,
        decodedLimit: UInt64? = .max
    ) throws(StorageError) {
        self.database = database
        self.keepsMD5 = keepsMD5
        began = database.trace?.now
        // Not the store of a snapshot: its generation may be about to be removed, and a generation that is not
        // encrypted would get new files.
        let store = try database.presentBlobStore()
        var work = Work(store: store, writer: try store.makeWriter(), md5: withMD5 ? ConcurrentMD5() : nil)
        if let decodedLimit { work.decoded = try DecodedLength(upTo: decodedLimit) }
        self.work = Locked(work)
    }

    deinit { work.withLock { if !$0.isFinished { $0.writer.cancel() } } }

    /// Adds bytes to the content.
    ///
    /// - Throws: `full` (507), `attachmentStore` (592), `notOpen` (503) after `finish`.
    public func append(_ piece: [UInt8]) throws(StorageError) {
        try work.withLock { (work) throws(StorageError) in
            guard !work.isFinished else { throw AttachmentWriter.finished }
            work.md5?.update(piece)
            try unsafe work.writer.append(piece.span.bytes)
            // Content other than gzip fails here within its first bytes.
            do throws(StorageError) { try work.decoded?.append(piece) } catch { work.decoded = nil }
        }
    }

    /// Completes the content. It is on disk when this returns.
    ///
    /// - Returns: what revisions use it by. It must be kept until one is saved.
    /// - Throws: as `append`.
    public func finish() throws(StorageError) -> StagedAttachment {
        let staged = try work.withLock { (work) throws(StorageError) in
            guard !work.isFinished else { throw AttachmentWriter.finished }
            let content = try work.writer.finish()
            work.isFinished = true
            return StagedAttachment(
                work.writer,
                of: work.store,
                content,
                sha1: database.store.stagedAttachments.digest(ofSHA1: content.sha1),
                md5: work.md5?.digest(),
                keepsMD5: keepsMD5,
                decodedLength: try? work.decoded?.finish()
            )
        }
        if let trace = database.trace, let began {
            trace.staged(staged.sha1.bytes, size: staged.length, began: began)
        }
        database.stagedAttachments.add(staged) { try? database.presentBlobStore() }
        return staged
    }

    private static var finished: StorageError {
        StorageError(.notOpen, "The content of this attachment is finished. Make another writer.")
    }
}
