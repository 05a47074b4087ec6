public import StorageProtocol
internal import Synchronization

extension Database {
    /// Writes the content of a future attachment, outside of any transaction. Revisions can then use it through an
    /// entry with `"follows": true` and its digest, or through `AttachmentSource.staged`.
    ///
    /// Memory does not grow with the content, and other writers do not wait. Both digests by which an entry may name
    /// the content are computed.
    ///
    /// - Returns: an object that must be kept until the revision is saved.
    /// - Throws: what the source throws; `readOnly` (403), `notOpen` (503), `full` (507), `fileSystem` (498) if a file
    ///   cannot be read, `attachmentStore` (592).
    /// - Complexity: O(bytes).
    public func stageAttachment(_ source: AttachmentSource) throws -> StagedAttachment {
        if let staged = source.stagedAttachment { return staged }
        return try stage(withMD5: true, decodedLimit: .max) { append in try source.forEachPiece(append) }
    }

    /// Begins the content of a future attachment whose bytes arrive one piece after another, such as from a network.
    /// Both digests by which an entry may name it are computed.
    ///
    /// - Throws: `readOnly` (403), `notOpen` (503), `attachmentStore` (592).
    public func makeAttachmentWriter() throws(StorageError) -> AttachmentWriter {
        try AttachmentWriter(in: self, withMD5: true)
    }

    /// Does the same for content that is named by its SHA-1: the MD5 is not computed.
    package func makeAttachmentWriterWithoutMD5() throws(StorageError) -> AttachmentWriter {
        try AttachmentWriter(in: self, withMD5: false)
    }

    /// Does the same for content from a client that names it by MD5. The MD5 is stored with the content.
    ///
    /// - Parameter limit: Content that is encoded with gzip must not decode to more bytes than these.
    package func makeAttachmentWriterKeepingMD5(
        decodedUpTo limit: UInt64 = .max
    ) throws(StorageError) -> AttachmentWriter {
        try AttachmentWriter(in: self, withMD5: true, keepsMD5: true, decodedLimit: limit)
    }

    /// Does the same without computing the digest that no entry will use.
    func stage(_ source: AttachmentSource) throws -> StagedAttachment {
        if let staged = source.stagedAttachment { return staged }
        return try stage(withMD5: false, decodedLimit: nil) { append in try source.forEachPiece(append) }
    }

    func stage(
        _ bytes: [UInt8],
        withMD5: Bool,
        decodedLimit: UInt64?
    ) throws(StorageError) -> StagedAttachment {
        do {
            return try stage(withMD5: withMD5, decodedLimit: decodedLimit) { append in try append(bytes) }
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(.unexpected, "An attachment could not be written.", cause: error)
        }
    }

    private func stage(
        withMD5: Bool,
        decodedLimit: UInt64?,
        _ fill: (([UInt8]) throws -> Void) throws -> Void
    ) throws -> StagedAttachment {
        let staging = try AttachmentWriter(in: self, withMD5: withMD5, decodedLimit: decodedLimit)
        let gate = ThreadContext.current.gate
        try fill { piece in
            try gate?.checkOpen()
            try staging.append(piece)
        }
        return try staging.finish()
    }
}
