internal import SetteeEngine
internal import StorageProtocol

/// Writes the contents of an export's attachments into a database, each when it is first needed.
final class ExportedBlobs {
    private let lines: ExportReader
    private let index: ExportIndex
    /// Digests of blobs that were found intact, and the store in which they were.
    private var sound: Set<[UInt8]> = []
    private var soundStore: (any BlobStore)?

    init(_ file: ExportFile, _ index: ExportIndex) {
        lines = ExportReader(file)
        self.index = index
    }

    /// Returns what attachments with these SHA-1 digests refer to. The contents are then in the database.
    func uses(_ digests: [[UInt8]], _ session: WriteSession) throws(StorageError) -> [AttachmentUse] {
        var uses: [AttachmentUse] = []
        for digest in digests {
            let reference = try reference(digest, session)
            uses.append(
                AttachmentUse(digest: digest, storageName: reference.storageName, length: reference.length)
            )
        }
        return uses
    }

    private func reference(_ digest: [UInt8], _ session: WriteSession) throws(StorageError) -> BlobReference {
        guard let blob = index.blob(BlobDigest(digest)) else {
            throw StorageError(.attachmentNotFound, "The content of an attachment is not in the export.")
        }
        // The database may have switched to another store since the last transaction.
        let store = try session.generation.blobStore()
        let known = try session.direct.blobReference(digest)
        if let known, try isSound(known, in: store) { return known }
        let content = try write(blob, to: store)
        let reference = BlobReference(
            digest: digest,
            storageName: content.storageName,
            length: content.length,
            count: known?.count ?? 0
        )
        try session.direct.setBlobReference(reference)
        return reference
    }

    /// Replaces contents that the database has damaged or lost by those of the export. Needed because documents without
    /// new revisions use none.
    func mend(in database: Database) throws(StorageError) {
        for blob in index.blobs {
            let digest = blob.digest.bytes
            let isWhole = try database.withReadGeneration(readsBlobs: true) {
                (transaction, generation) throws(StorageError) in
                guard let known = try transaction.blobReference(digest), known.count > 0 else { return true }
                return try isSound(known, in: generation.blobStore())
            }
            if isWhole { continue }
            try database.change { (session) throws(StorageError) in
                // The last attachment that referred to it may have been removed in the meantime.
                guard let known = try session.transaction.blobReference(digest), known.count > 0 else { return }
                _ = try reference(digest, session)
            }
        }
    }

    /// Whether a blob of the database is intact; read only once.
    private func isSound(_ blob: BlobReference, in store: any BlobStore) throws(StorageError) -> Bool {
        guard try store.has(blob.storageName, length: blob.length) else { return false }
        if soundStore !== store {
            sound = []
            soundStore = store
        }
        if sound.contains(blob.digest) { return true }
        guard try store.verify(blob.storageName) == nil else { return false }
        sound.insert(blob.digest)
        return true
    }

    private func write(_ blob: ExportIndex.Blob, to store: any BlobStore) throws(StorageError) -> BlobContent {
        let writer = try store.makeWriter()
        do throws(StorageError) {
            lines.seek(to: blob.offset, end: index.end)
            try lines.require()
            if blob.length > 0 { try lines.require() }
            var rest = blob.length
            try lines.content(of: blob) { () throws(StorageError) in
                rest -= min(rest, UInt64(NeutralFormat.chunkLength))
                if rest > 0 { try lines.require() }
            } _: { (piece) throws(StorageError) in
                try unsafe writer.append(piece.span.bytes)
            }
            let content = try writer.finish()
            guard BlobDigest(content.sha1) == blob.digest, content.length == blob.length else {
                throw lines.damaged("the content has another SHA-1")
            }
            try writer.publish()
            return content
        } catch {
            writer.cancel()
            throw error
        }
    }
}
