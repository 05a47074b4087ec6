internal import Crypto
internal import StorageProtocol

/// Content on its way to a `StagedAttachment`. Whoever lets it go without `finish` gives it up.
final class AttachmentStaging: Sendable {
    private let database: Database
    private let work: Locked<Work>

    /// @unchecked: reached by one thread at a time, under the lock.
    private struct Work: @unchecked Sendable {
        let store: any BlobStore
        let writer: any BlobWriter
        var md5: Insecure.MD5?
        /// As long as the content may be gzip.
        var decoded: DecodedLength?
        var isFinished = false
    }

    /// - Parameter decodedLimit: find out the decoded length of what may be gzip, as long as it is not above this; nil:
    ///   nobody will ask for it.
    init(in database: Database, withMD5: Bool, decodedLimit: UInt64? = .max) throws(StorageError) {
        self.database = database
        // Not that of a snapshot, whose generation may be on its way out: one that is not encrypted would get files
        // again.
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
            // Anything but gzip ends this with its first bytes.
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
                sha1: database.attachmentSHA1(content.sha1),
                md5: work.md5.map { Array($0.finalize()) },
                decodedLength: try? work.decoded?.finish()
            )
        }
        database.stagedAttachments.add(staged) { try? database.presentBlobStore() }
        return staged
    }
}
