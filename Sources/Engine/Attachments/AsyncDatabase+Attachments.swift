public import Foundation
public import StorageProtocol

extension AsyncDatabase {
    /// Writes the content of a future attachment as it arrives, like `Database.stageAttachment`.
    ///
    /// - Returns: an object that must be kept until the revision is saved.
    /// - Throws: what the sequence throws; `CancellationError` if the task is cancelled; as `Database.stageAttachment`.
    ///   After an error nothing is left.
    public func stageAttachment<Pieces: AsyncSequence>(
        pieces: Pieces
    ) async throws -> StagedAttachment where Pieces.Element == [UInt8] {
        let staging = try await run { try $0.makeAttachmentWriter() }
        for try await piece in pieces { try await run { _ in try staging.append(piece) } }
        // Many sequences simply end when their task is cancelled, as if the content were complete.
        try Task.checkCancellation()
        return try await run { _ in try staging.finish() }
    }

    /// Writes content in memory as that of a future attachment, like `Database.stageAttachment`. If the task is
    /// cancelled, it throws `CancellationError` and leaves nothing.
    public func stageAttachment(content: [UInt8]) async throws -> StagedAttachment {
        try await perform(on: AsyncDatabase.writers, until: .never) { try $0.stageAttachment(.bytes(content)) }
    }

    /// Writes the content of a file as that of a future attachment, like `Database.stageAttachment`. If the task is
    /// cancelled, it throws `CancellationError` and leaves nothing.
    public func stageAttachment(file: URL) async throws -> StagedAttachment {
        try await perform(on: AsyncDatabase.writers, until: .never) { try $0.stageAttachment(.file(file)) }
    }

    /// Adds an attachment whose content is already written, and saves the document, like `Document.setAttachment`.
    @discardableResult
    public func setAttachment(
        _ id: some DocumentIDConvertible,
        named name: String,
        contentType: String? = nil,
        staged: StagedAttachment
    ) async throws -> SavedRevision {
        try await perform(on: AsyncDatabase.writers) {
            try $0[id.documentIDText].setAttachment(named: name, contentType: contentType, content: .staged(staged))
        }
    }

    /// Adds an attachment whose content arrives as a sequence of pieces, and saves the document, like
    /// `Document.setAttachment(named:contentType:content:)`.
    @discardableResult
    public func setAttachment<Pieces: AsyncSequence>(
        _ id: some DocumentIDConvertible,
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

    /// Adds an attachment with content in memory, and saves the document, like `Document.setAttachment`.
    @discardableResult
    public func setAttachment(
        _ id: some DocumentIDConvertible,
        named name: String,
        contentType: String? = nil,
        content: [UInt8]
    ) async throws -> SavedRevision {
        try await perform(on: AsyncDatabase.writers) {
            try $0[id.documentIDText].setAttachment(named: name, contentType: contentType, content: content)
        }
    }

    /// Adds an attachment with the content of a file, and saves the document, like `Document.setAttachment`.
    @discardableResult
    public func setAttachment(
        _ id: some DocumentIDConvertible,
        named name: String,
        contentType: String? = nil,
        file: URL
    ) async throws -> SavedRevision {
        try await perform(on: AsyncDatabase.writers) {
            try $0[id.documentIDText].setAttachment(named: name, contentType: contentType, content: .file(file))
        }
    }

    /// Like `Document.removeAttachment(named:)`.
    @discardableResult
    public func removeAttachment(_ id: some DocumentIDConvertible, named name: String) async throws -> SavedRevision? {
        try await perform(on: AsyncDatabase.writers) { try $0[id.documentIDText].removeAttachment(named: name) }
    }

    /// Returns an attachment of the current revision of a live document; nil if there is none.
    ///
    /// `Attachment.pieces(of:)` reads its content as an asynchronous sequence.
    public func attachment(_ id: some DocumentIDConvertible, named name: String) async throws -> Attachment? {
        try await run { try $0[id.documentIDText].currentRevision?.attachment(named: name) }
    }

    /// Returns the whole content of an attachment, in memory; nil if there is no such attachment or document.
    ///
    /// - Throws: as `Attachment.content()`.
    public func attachmentContent(_ id: some DocumentIDConvertible, named name: String) async throws -> [UInt8]? {
        try await run { database in
            try database.read { _ in
                try database[id.documentIDText].currentRevision?.attachment(named: name)?.content()
            }
        }
    }
}
