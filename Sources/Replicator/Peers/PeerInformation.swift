internal import SetteeDocumentValues

/// What a peer says of itself.
struct PeerInformation: Sendable, Equatable {
    /// The database's own ID, where the peer tells one: another one means another database at the same address.
    var uuid: String?
    /// Constant as long as the database is the same one; `0` where the peer does not tell.
    var startTime: String
    /// The newest sequence. Sequences of others are opaque: text, numbers or arrays.
    var lastSequence: JSONValue
}
