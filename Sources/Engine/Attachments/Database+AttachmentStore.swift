package import StorageProtocol

extension Database {
    /// Returns the blob store of the generation that the calling thread's transaction or snapshot uses, else of the
    /// current one.
    package func blobStore() throws(StorageError) -> any BlobStore {
        if let own = ThreadContext.current.generation(of: self) { return try own.blobStore() }
        return try presentBlobStore()
    }

    /// Returns the blob store of the current generation, whatever the thread reads.
    func presentBlobStore() throws(StorageError) -> any BlobStore {
        let generation = try enter()
        defer { leave(generation) }
        return try generation.blobStore()
    }

    /// Writes contents that were staged before a switch into the store in which they are to be published. Done before
    /// the transaction that uses them begins, so that other writers do not wait for it.
    func bringStagedAttachments() {
        guard stagedAttachments.needsBringing else { return }
        // A caller without staged contents must not fail because the store cannot be opened.
        stagedAttachments.bring(to: try? presentBlobStore())
    }

    /// Opens a blob of that generation, published or in the trash; nil if there is none.
    package func blobReader(_ name: String) throws(StorageError) -> (any BlobReader)? {
        try blobStore().readerAnywhere(name)
    }

    /// Whether a blob is published, or in the trash, from where it can be restored. Called under the writer lock.
    func hasBlob(_ name: String) throws(StorageError) -> Bool { try blobStore().holds(name) }

    /// Opens the blob with an attachment's digest (20 bytes), on the calling thread's transaction or snapshot, or on a
    /// new snapshot that is announced to other processes.
    ///
    /// - Throws: `attachmentNotFound` (492) if no kept revision refers to it any more, or if it is lost.
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

    /// How much space attachments use.
    package struct AttachmentSpace: Sendable, Equatable {
        /// The number of contents that kept revisions refer to, each counted once, and their bytes.
        package var contents: UInt64 = 0
        package var bytes: UInt64 = 0
        /// Contents that nothing refers to any more and no compaction has removed yet.
        package var unusedContents: UInt64 = 0
        package var unusedBytes: UInt64 = 0
        /// Files in the trash.
        package var trashed: UInt64 = 0
        package var trashedBytes: UInt64 = 0

        package init() {}

        /// Returns the sum of stored lengths, or the highest number if it overflows. `check` compares the lengths with
        /// the contents.
        fileprivate static func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
            let (sum, isBeyond) = a.addingReportingOverflow(b)
            return isBeyond ? .max : sum
        }
    }

    /// Returns how much space attachments use. Complexity: O(number of contents).
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
    /// Whether a blob exists, published or in the trash, damaged or not.
    func holds(_ name: String) throws(StorageError) -> Bool {
        do throws(StorageError) {
            if try size(name) != nil { return true }
            return try trashedReader(name) != nil
        } catch {
            guard error.code == .corrupt else { throw error }
            return true
        }
    }

    /// Whether a blob of this length is published; false if it is found to be damaged.
    package func has(_ name: String, length: UInt64) throws(StorageError) -> Bool {
        do throws(StorageError) {
            return try size(name) == length
        } catch {
            guard error.code == .corrupt else { throw error }
            return false
        }
    }

    /// Opens a blob, published or in the trash; nil if there is none. A collection in any process may move it from one
    /// to the other, or back, between two attempts.
    func readerAnywhere(_ name: String) throws(StorageError) -> (any BlobReader)? {
        for _ in 0..<3 {
            if let reader = try reader(name) { return reader }
            if let reader = try trashedReader(name) { return reader }
        }
        return nil
    }
}
