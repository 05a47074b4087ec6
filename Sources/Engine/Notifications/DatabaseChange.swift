/// What an observer of a database, or of one document, is told.
public enum DatabaseChange: Sendable, Equatable {
    /// A document changed.
    case document(DocumentChange)
    /// Changes were left out, all of them after this sequence: the observer was slower than its buffer is large, or
    /// they could not be read. Read `changes(since:)` from this sequence, or whatever the observer shows, anew. Changes
    /// that are committed from now on follow; the first of them may be among those that were read anew.
    case missed(since: UInt64)
}
