public import SetteeDocumentValues

/// What a replication has done, for `_active_tasks` and for the answer of `_replicate`.
public struct ReplicationFigures: Sendable, Equatable {
    /// The ID of the session in the checkpoints; nil if there is none.
    public var sessionID: String?
    /// The sequence of the source after which it began: null or 0 at the beginning.
    public var startSequence: JSONValue
    /// The sequence of the source up to which all is done.
    public var lastSequence: JSONValue
    /// Revisions that the target was asked for.
    public var revisionsChecked = 0
    /// Those of them that it lacked.
    public var missingRevisions = 0
    /// Revisions that were read from the source.
    public var documentsRead = 0
    /// Revisions that were written to the target.
    public var documentsWritten = 0
    /// Revisions that were not passed on because of an error of their own.
    public var documentFailures = 0
    /// Changes of the source that are still to be looked at; nil if that is not known.
    public var pendingChanges: Int?

    public init(sessionID: String? = nil, startSequence: JSONValue = 0, lastSequence: JSONValue = 0) {
        self.sessionID = sessionID
        self.startSequence = startSequence
        self.lastSequence = lastSequence
    }
}
