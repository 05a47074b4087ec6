internal import StorageProtocol

extension AsyncDatabase {
    /// Writes the content of a future attachment as it arrives, as `Database.stageAttachment`.
    ///
    /// - Returns: what must be kept until the revision is saved.
    /// - Throws: what the sequence throws; `CancellationError` where the task is cancelled; as `Database.stageAttachment`.
    ///   Nothing is left then.
    public func stageAttachment<Pieces: AsyncSequence>(
        pieces: Pieces
    ) async throws -> StagedAttachment where Pieces.Element == [UInt8] {
        let staging = try await run { try AttachmentStaging(in: $0, withMD5: true) }
        for try await piece in pieces { try await run { _ in try staging.append(piece) } }
        // Many sequences just end where their task is cancelled, as if that were all.
        try Task.checkCancellation()
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
