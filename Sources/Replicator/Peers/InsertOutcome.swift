/// What became of a revision.
enum InsertOutcome: Sendable, Equatable {
    case added
    /// It was there already.
    case known
    /// It is not stored. The others are.
    case refused(PeerError)
}
