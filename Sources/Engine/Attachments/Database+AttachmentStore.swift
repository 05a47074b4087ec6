package import StorageProtocol

extension Database {
    /// The blobs of the generation that the calling thread's transaction or snapshot is of, else of the present one.
    package func blobStore() throws(StorageError) -> any BlobStore {
        if let own = ThreadContext.current.generation(of: self) { return try own.blobStore() }
        return try presentBlobStore()
    }

    /// The blobs of the present generation, whatever the thread reads.
    func presentBlobStore() throws(StorageError) -> any BlobStore {
        let generation = try enter()
        defer { leave(generation) }
        return try generation.blobStore()
    }

    /// Has contents that were staged before a switch written where they are to be published, before anybody waits for
    /// the transaction that takes them.
    func bringStagedAttachments() {
        guard stagedAttachments.needsBringing else { return }
        // Who takes none is not to fail for want of a store.
        stagedAttachments.bring(to: try? presentBlobStore())
    }

    /// Opens a blob of that generation, wherever it is; nil where there is none.
    package func blobReader(_ name: String) throws(StorageError) -> (any BlobReader)? {
        try blobStore().readerAnywhere(name)
    }

    /// Whether a blob is in its place, or in the trash, from where it can be brought back. Asked under the writer lock.
    func hasBlob(_ name: String) throws(StorageError) -> Bool { try blobStore().holds(name) }

    /// Opens the blob of an attachment's digest (20 bytes) on the calling thread's transaction or snapshot, or on a new
    /// snapshot that other processes are told of.
    ///
    /// - Throws: `attachmentNotFound` (492) where no kept revision refers to it any more, or it is lost.
    package func attachmentReader(_ digest: [UInt8]) throws(StorageError) -> any BlobReader {
        try withReadGeneration(readsBlobs: true) { (transaction, generation) throws(StorageError) in
            guard let reference = try transaction.blobReference(digest),
                let reader = try generation.blobStore().readerAnywhere(reference.storageName)
            else {
                throw StorageError(
                    .attachmentNotFound,
                    "The attachment's content is gone: no revision that is kept refers to it any more."
                )
            }
            return reader
        }
    }

    /// Where the bytes of attachments are.
    package struct AttachmentSpace: Sendable, Equatable {
        /// How many contents kept revisions refer to, each counted once, and their bytes.
        package var contents: UInt64 = 0
        package var bytes: UInt64 = 0
        /// Contents that nothing refers to any more and no compaction has taken yet.
        package var unusedContents: UInt64 = 0
        package var unusedBytes: UInt64 = 0
        /// Files in the trash.
        package var trashed: UInt64 = 0
        package var trashedBytes: UInt64 = 0

        package init() {}

        /// The sum of stored lengths, which `check` compares with the contents: the highest number where it is beyond
        /// all.
        fileprivate static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
            let (sum, isBeyond) = a.addingReportingOverflow(b)
            return isBeyond ? .max : sum
        }
    }

    /// How much space attachments take. Complexity: O(number of contents).
    package func attachmentSpace() throws(StorageError) -> AttachmentSpace {
        var space = AttachmentSpace()
        try withReadTransaction { (transaction) throws(StorageError) in
            try transaction.orderedBlobReferences { (reference) throws(StorageError) in
                if reference.count > 0 {
                    space.contents += 1
                    space.bytes = AttachmentSpace.sum(space.bytes, reference.length)
                } else {
                    space.unusedContents += 1
                    space.unusedBytes = AttachmentSpace.sum(space.unusedBytes, reference.length)
                }
                return true
            }
        }
        try blobStore().trash { (_, _, bytes) throws(StorageError) in
            space.trashed += 1
            space.trashedBytes += bytes
            return true
        }
        return space
    }
}

extension BlobStore {
    /// Whether a blob is there, in its place or in the trash, damaged or not.
    func holds(_ name: String) throws(StorageError) -> Bool {
        do throws(StorageError) {
            if try size(name) != nil { return true }
            return try trashedReader(name) != nil
        } catch {
            guard error.code == .corrupt else { throw error }
            return true
        }
    }

    /// Whether a blob of this length is in its place; false where it is seen to be damaged.
    func has(_ name: String, length: UInt64) throws(StorageError) -> Bool {
        do throws(StorageError) {
            return try size(name) == length
        } catch {
            guard error.code == .corrupt else { throw error }
            return false
        }
    }

    /// Opens a blob, in its place or in the trash; nil where there is none. A collection in whatever process may move
    /// it from the one to the other, or back, between two looks.
    func readerAnywhere(_ name: String) throws(StorageError) -> (any BlobReader)? {
        for _ in 0..<3 {
            if let reader = try reader(name) { return reader }
            if let reader = try trashedReader(name) { return reader }
        }
        return nil
    }
}
