internal import SetteeEngine
package import StorageProtocol

/// A content in a database that is being built.
package struct BuiltContent {
    /// The number of stored bytes.
    package var length: UInt64
    let storageName: String
}

extension DatabaseBuilder {
    /// How many contents were added.
    package var contentCount: Int { written.contents }

    /// Returns the content with a SHA-1 digest; nil if it was not added yet.
    package func content(_ sha1: [UInt8]) throws(StorageError) -> BuiltContent? {
        guard let known = try transaction.blobReference(sha1) else { return nil }
        return BuiltContent(length: known.length, storageName: known.storageName)
    }

    /// Adds a content.
    ///
    /// - Parameters:
    ///   - sha1: The SHA-1 that it must have.
    ///   - next: Returns its next bytes, nil at the end.
    /// - Returns: Nil if its SHA-1 is different. It is not stored then.
    package func bring(
        _ sha1: [UInt8],
        _ next: () throws(StorageError) -> [UInt8]?
    ) throws(StorageError) -> BuiltContent? {
        let writer = try blobs.makeWriter()
        do throws(StorageError) {
            let gate = ThreadContext.current.gate
            while let bytes = try next() {
                try gate?.check()
                try unsafe writer.append(bytes.span.bytes)
            }
            let content = try writer.finish()
            guard content.sha1 == sha1 else {
                writer.cancel()
                return nil
            }
            try writer.publish()
            try transaction.setBlobReference(
                BlobReference(digest: sha1, storageName: content.storageName, length: content.length, count: 0)
            )
            written.contents += 1
            return BuiltContent(length: content.length, storageName: content.storageName)
        } catch {
            writer.cancel()
            throw error
        }
    }

    /// Returns the decoded length of a gzip content; nil if it is not gzip, or longer than `limit`.
    package func decodedLength(of content: BuiltContent, upTo limit: UInt64) throws(StorageError) -> UInt64? {
        guard let reader = try blobs.reader(content.storageName) else {
            throw StorageError(.unexpected, "A content that was just written is not there.")
        }
        return try DecodedLength.of(reader, upTo: limit)
    }

    /// Counts the attachments of a document's bodies.
    func count(_ uses: [[UInt8]]) throws(StorageError) {
        for digest in uses {
            guard var reference = try transaction.blobReference(digest) else { throw .missingAttachment }
            reference.count += 1
            try transaction.setBlobReference(reference)
            written.references += 1
        }
    }
}
