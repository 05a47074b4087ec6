internal import SetteeDocumentValues

/// One side of a replication: a database here, or one behind HTTP. A push, a pull and a replication between two
/// databases here are the same work on two of these.
///
/// Calls may run at the same time. They throw `PeerError`, or `CancellationError` once the task is cancelled. A call
/// that failed can be repeated.
protocol Peer: Sendable {
    /// What logs and events call it: a URL without user, password and query, or the name of a database.
    var name: String { get }
    /// How often it could not be reached, and was asked again.
    var breaks: Int { get }

    func information() async throws -> PeerInformation

    /// The checkpoint with an ID, given without `_local/`; nil if there is none.
    func checkpoint(_ id: String) async throws -> PeerCheckpoint?

    /// Writes a checkpoint.
    ///
    /// - Parameter revision: that of the checkpoint that is replaced; nil if there is none.
    /// - Returns: the revision of the new one.
    /// - Throws: `PeerError.conflict` if another one is there, `.readOnly` if the peer takes no checkpoints.
    func save(_ checkpoint: JSONObject, as id: String, replacing revision: String?) async throws -> String

    /// The next changes. With `query.wait`, an answer comes when there is one, or after that time, empty.
    func changes(_ query: ChangesQuery) async throws -> ChangesPage

    /// Which of these revisions the peer lacks: an answer for each document, in their order; nil if it has all.
    func missing(_ documents: [OfferedDocument]) async throws -> [LackedRevisions?]

    /// Reads revisions, each one as it comes, in any order. Every wish is answered, once for each of its revisions.
    func revisions(
        _ wishes: [RevisionWish],
        _ body: (_ place: Int, RevisionAnswer) async throws -> Void
    ) async throws

    /// Opens the content of an attachment, encoded as it is stored, from an offset in bytes.
    func content(_ wish: AttachmentWish, from offset: UInt64) async throws -> any ContentPieces

    /// Adds revisions, with `contents` for the attachments that the peer lacks.
    ///
    /// - Returns: an outcome for each, in their order.
    func insert(_ revisions: [TransferredRevision], from source: any Peer) async throws -> [InsertOutcome]

    /// Sees to it that what was inserted is on disk.
    func commit() async throws
}

extension Peer {
    var breaks: Int { 0 }
}

/// A peer that can say which version of a filter function it has.
protocol FilteringPeer: Peer {
    /// Nil if it has no such function, or does not show it.
    func filterVersion(_ name: String) async throws -> String?
}
