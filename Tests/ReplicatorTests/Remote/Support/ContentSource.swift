internal import SetteeDocumentValues
internal import StorageProtocol

@testable internal import SetteeReplicator

/// A peer that has nothing but contents of attachments, by their names.
struct ContentSource: Peer {
    var contents: [String: [UInt8]] = [:]
    /// Whether the contents are encoded as wishes say.
    var isEncoded = true

    var name: String { "contents" }

    func content(_ wish: AttachmentWish, from offset: UInt64) async throws -> any ContentPieces {
        guard let bytes = contents[wish.name] else { throw PeerError(.notFound, status: 404, "No such content.") }
        return Pieces(bytes, from: offset, isEncoded: isEncoded)
    }

    private final class Pieces: ContentPieces {
        let offset: UInt64
        let isEncoded: Bool
        private let rest: Locked<ArraySlice<UInt8>>

        init(_ bytes: [UInt8], from offset: UInt64, isEncoded: Bool) {
            self.isEncoded = isEncoded
            self.offset = offset
            rest = Locked(bytes[Int(offset)...])
        }

        func next() async throws -> [UInt8]? {
            rest.withLock { rest in
                let piece = Array(rest.prefix(10_000))
                rest = rest.dropFirst(10_000)
                return piece.isEmpty ? nil : piece
            }
        }

        func close() async {}
    }

    private var nothing: PeerError { PeerError(.readOnly, "There is nothing else.") }

    func information() async throws -> PeerInformation { throw nothing }
    func checkpoint(_ id: String) async throws -> PeerCheckpoint? { throw nothing }
    func save(_ checkpoint: JSONObject, as id: String, replacing revision: String?) async throws -> String {
        throw nothing
    }
    func changes(_ query: ChangesQuery) async throws -> ChangesPage { throw nothing }
    func missing(_ documents: [OfferedDocument]) async throws -> [LackedRevisions?] { throw nothing }
    func revisions(_ wishes: [RevisionWish], _ body: (Int, RevisionAnswer) async throws -> Void) async throws {
        throw nothing
    }
    func insert(_ revisions: [TransferredRevision], from source: any Peer) async throws -> [InsertOutcome] {
        throw nothing
    }
    func commit() async throws { throw nothing }
}
