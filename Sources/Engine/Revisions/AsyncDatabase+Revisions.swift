public import SetteeDocumentValues
public import StorageProtocol

extension AsyncDatabase {
    /// Like `Document.revision(_:)`.
    public func revision(_ revision: RevisionID, of id: some DocumentIDConvertible) async throws -> SavedRevision? {
        try await run { try $0[id.documentIDText].revision(revision) }
    }

    /// Like `Document.conflictingRevisions()`.
    public func conflictingRevisions(of id: some DocumentIDConvertible) async throws -> [SavedRevision] {
        try await run { try $0[id.documentIDText].conflictingRevisions() }
    }

    /// Like `UnsavedRevision.save(allowingConflict:)`.
    @discardableResult
    public func save(_ revision: UnsavedRevision, allowingConflict: Bool = false) async throws -> SavedRevision {
        try await perform(on: AsyncDatabase.writers) { _ in try revision.save(allowingConflict: allowingConflict) }
    }

    /// Like `Document.forceInsert`.
    @discardableResult
    public func forceInsert(
        _ id: some DocumentIDConvertible,
        _ properties: JSONObject,
        history: [RevisionID] = [],
        isDeleted: Bool = false,
        source: String? = nil
    ) async throws -> Bool {
        try await perform(on: AsyncDatabase.writers) {
            try $0[id.documentIDText].forceInsert(properties, history: history, isDeleted: isDeleted, source: source)
        }
    }

    /// Like `Database.forceInsert`.
    public func forceInsert(
        _ revisions: [ForeignRevision],
        source: String? = nil
    ) async throws -> [ForceInsertOutcome] {
        try await perform(on: AsyncDatabase.writers) { try $0.forceInsert(revisions, source: source) }
    }

    /// Like `Document.resolveConflict(keeping:)`.
    @discardableResult
    public func resolveConflict(
        _ id: some DocumentIDConvertible,
        keeping revision: RevisionID
    ) async throws -> SavedRevision {
        try await perform(on: AsyncDatabase.writers) { try $0[id.documentIDText].resolveConflict(keeping: revision) }
    }

    /// Like `Document.resolveConflict(_:)`.
    @discardableResult
    public func resolveConflict(
        _ id: some DocumentIDConvertible,
        _ merge: @escaping @Sendable ([SavedRevision]) throws -> JSONObject
    ) async throws -> SavedRevision? {
        try await perform(on: AsyncDatabase.writers) { try $0[id.documentIDText].resolveConflict(merge) }
    }

    /// Like `Database.missingRevisions`.
    public func missingRevisions(
        _ revisions: [DocumentID: [RevisionID]]
    ) async throws -> [DocumentID: MissingRevisions] {
        try await run { try $0.missingRevisions(revisions) }
    }

    /// Like `Database.purge(revisions:)`.
    @discardableResult
    public func purge(revisions: [DocumentID: [RevisionID]]) async throws -> [DocumentID: [RevisionID]] {
        try await perform(on: AsyncDatabase.writers) { try $0.purge(revisions: revisions) }
    }
}
