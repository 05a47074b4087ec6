internal import StorageProtocol

extension AsyncDatabase {
    /// Writes the content of a future attachment as it arrives, as `Database.stageAttachment`.
    ///
    /// - Returns: what must be kept until the revision is saved.
    /// - Throws: what the sequence throws; as `Database.stageAttachment`. Where it ends in an error, or the task is
    ///   cancelled and the sequence throws for it, nothing is left.
    public func stageAttachment<Pieces: AsyncSequence>(
        pieces: Pieces
    ) async throws -> StagedAttachment where Pieces.Element == [UInt8] {
        let staging = try await run { try AttachmentStaging(in: $0, withMD5: true) }
        for try await piece in pieces { try await run { _ in try staging.append(piece) } }
        return try await run { _ in try staging.finish() }
    }

    /// Adds an attachment whose content arrives as a sequence of pieces, and saves the document, as
    /// `Document.setAttachment(named:contentType:content:)`.
    @discardableResult
    public func setAttachment<Pieces: AsyncSequence>(
        _ id: String,
        named name: String,
        contentType: String? = nil,
        pieces: Pieces
    ) async throws -> SavedRevision where Pieces.Element == [UInt8] {
        let staged = try await stageAttachment(pieces: pieces)
        defer { withExtendedLifetime(staged) {} }
        let saved = try await update(id) { $0.setAttachment(staged, named: name, contentType: contentType) }
        guard let saved else { throw StorageError(.unexpected, "The attachment was not saved.") }
        return saved
    }
}
