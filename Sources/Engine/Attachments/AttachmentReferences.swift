package import StorageProtocol

/// Counts in the store how many attachments of kept revisions refer to each blob.
///
/// The count of a digest is the number of attachments with it in all bodies that are kept, counted by name. It changes
/// in the transaction that adds or drops the body. A blob is in its final position if its count is above 0.
package struct AttachmentReferences {
    let session: WriteSession

    package init(_ session: WriteSession) { self.session = session }

    /// Adds a reference for each attachment of a revision that is being stored, and publishes the missing blobs.
    package func retain(_ attachments: [AttachmentUse]) throws(StorageError) {
        guard !attachments.isEmpty else { return }
        let store = try session.database.blobStore()
        for use in attachments {
            var reference =
                try session.direct.blobReference(use.digest)
                ?? BlobReference(digest: use.digest, storageName: use.storageName, length: use.length, count: 0)
            // A blob that already has a count was synced to disk when it was first counted.
            let isThere = reference.count > 0 ? try store.has(use.storageName, length: use.length) : false
            // Content that comes with the revision repairs a damaged blob.
            let name = isThere && use.staged == nil ? use.storageName : try place(use, in: store)
            if reference.count == 0 {
                reference.storageName = name
                reference.length = use.length
                if let staged = use.staged, staged.keepsMD5, let md5 = staged.md5 {
                    try session.keep(md5: md5.bytes, of: use.digest)
                }
            }
            guard reference.count < UInt64(Int64.max) else {
                throw .corrupt("The count of an attachment's content is beyond 2^63 - 1")
            }
            reference.count += 1
            try session.direct.setBlobReference(reference)
        }
    }

    /// Publishes the content.
    ///
    /// - Returns: Its name in the store.
    private func place(_ use: AttachmentUse, in store: any BlobStore) throws(StorageError) -> String {
        if let staged = use.staged { return try staged.publish(in: store) }
        // A damaged blob stays as it is, so that `check` reports it.
        let isInPlace: Bool
        do throws(StorageError) {
            isInPlace = try store.size(use.storageName) != nil
        } catch {
            guard error.code == .corrupt else { throw error }
            isInPlace = true
        }
        if isInPlace { return use.storageName }
        guard try store.restore(use.storageName) else { throw .missingAttachment }
        return use.storageName
    }

    /// Releases the references of a body that is being dropped.
    func release(attachmentsOf json: RawSpan) throws(StorageError) { try release(AttachmentStub.all(in: json)) }

    func release(_ attachments: [AttachmentStub]) throws(StorageError) {
        for stub in attachments {
            // A missing count is damage, which `check` reports. It must not prevent changes to the document.
            guard var reference = try session.direct.blobReference(stub.digest), reference.count > 0 else {
                continue
            }
            reference.count -= 1
            try session.direct.setBlobReference(reference)
        }
    }
}
