internal import SetteeDocumentValues

/// A checkpoint as it is stored on one side.
struct PeerCheckpoint: Sendable, Equatable {
    /// Its revision, which the next one replaces.
    var revision: String
    var body: JSONObject
}
