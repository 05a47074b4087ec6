internal import Crypto
internal import StorageProtocol

/// Content that is being written for a `StagedAttachment`. Releasing it without `finish` discards the content.
final class AttachmentStaging: Sendable {
    private let database: Database
    private let work: Locked<Work>
    private let began: UInt64?

    /// @unchecked: accessed by one thread at a time, under the lock.
    private struct Work: @unchecked Sendable {
        let store: any BlobStore
        let writer: any BlobWriter
        var md5: Insecure.MD5?
        /// Set as long as the content may be gzip.
        var decoded: DecodedLength?
        var isFinished = false
    }

    /// - Parameter decodedLimit: Determines the decoded length of content that may be gzip, up to this many bytes; nil:
    ///   the length is not needed.
    init(in database: Database, withMD5: Bool, decodedLimit: UInt64? = .max) throws(StorageError) {
        self.database = database
        began = database.trace?.now
        // Not the store of a snapshot: its generation may be about to be removed, and a generation that is not
        // encrypted would get new files.
        let store = try database.presentBlobStore()
        var work = Work(store: store, writer: try store.makeWriter(), md5: withMD5 ? Insecure.MD5() : nil)
        if let decodedLimit { work.decoded = try DecodedLength(upTo: decodedLimit) }
        self.work = Locked(work)
    }

    deinit { work.withLock { if !$0.isFinished { $0.writer.cancel() } } }

    func append(_ piece: [UInt8]) throws(StorageError) {
        try work.withLock { (work) throws(StorageError) in
            try unsafe work.writer.append(piece.span.bytes)
            unsafe piece.withUnsafeBytes { unsafe work.md5?.update(bufferPointer: $0) }
            // Content other than gzip fails here within its first bytes.
            do throws(StorageError) { try work.decoded?.append(piece) } catch { work.decoded = nil }
        }
    }

    func finish() throws(StorageError) -> StagedAttachment {
        let staged = try work.withLock { (work) throws(StorageError) in
            let content = try work.writer.finish()
            work.isFinished = true
            return StagedAttachment(
                work.writer,
                of: work.store,
                content,
                sha1: database.store.stagedAttachments.digest(ofSHA1: content.sha1),
                md5: work.md5.map { Array($0.finalize()) },
                decodedLength: try? work.decoded?.finish()
            )
        }
        if let trace = database.trace, let began {
            trace.staged(staged.sha1.bytes, size: staged.length, began: began)
        }
        database.stagedAttachments.add(staged) { try? database.presentBlobStore() }
        return staged
    }
}
