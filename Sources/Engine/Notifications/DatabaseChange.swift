/// What an observer of a database, or of one document, gets.
public enum DatabaseChange: Sendable, Equatable {
    /// A document changed.
    case document(DocumentChange)
    /// All changes after this sequence were left out: the observer was too slow for its buffer, or they could not be
    /// read. Read `changes(since:)` from this sequence, or reload what the observer shows. Changes committed from now
    /// on follow; the first of them may be among those that are read again.
    case missed(since: UInt64)
}
