internal import SetteeDocumentValues

/// Some changes in a row.
struct ChangesPage: Sendable, Equatable {
    var rows: [ChangedDocument]
    /// Where the next question goes on.
    var lastSequence: JSONValue
    /// Whether nothing followed when the peer answered.
    var isAtEnd: Bool
}

/// A document with changes.
struct ChangedDocument: Sendable, Equatable {
    var sequence: JSONValue
    var id: String
    /// Its leaves, the winner first.
    var leaves: [String]
    /// Whether the winner is a tombstone.
    var isDeleted: Bool
    /// Whether the user has lost access to it (`removed` of Sync Gateway): there is no body to fetch.
    var isRemoved = false
    /// Why the peer does not pass it on: a filter function that failed. Nil if it does.
    var refusal: PeerError?
}
