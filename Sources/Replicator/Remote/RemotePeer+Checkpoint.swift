internal import NIOHTTP1
internal import SetteeDocumentValues

extension RemotePeer {
    private static let checkpointBytes = 4 << 20

    func checkpoint(_ id: String) async throws -> PeerCheckpoint? {
        let request = RemoteRequest(.GET, RemoteRequest.path(of: "_local/" + id))
        let answer = try await client.json(request, or: [403, 404, 405], upTo: RemotePeer.checkpointBytes)
        guard var body = answer?.objectValue, let revision = body["_rev"]?.stringValue else { return nil }
        for name in ["_id", "_rev", "_revisions"] { body[name] = nil }
        return PeerCheckpoint(revision: revision, body: body)
    }

    func save(_ checkpoint: JSONObject, as id: String, replacing revision: String?) async throws -> String {
        var body = checkpoint
        body["_id"] = .string("_local/" + id)
        if let revision { body["_rev"] = .string(revision) }
        var request = RemoteRequest(.PUT, RemoteRequest.path(of: "_local/" + id))
        request.body = .json(try body.canonicalBytes())
        let refusals: Set<Int> = [401, 403, 405]
        guard let answer = try await client.json(request, or: refusals, upTo: RemotePeer.checkpointBytes) else {
            throw PeerError(.readOnly, status: 403, "The server takes no checkpoint.")
        }
        guard let revision = answer.objectValue?["rev"]?.stringValue else {
            throw PeerError.badAnswer("a checkpoint without its revision")
        }
        return revision
    }
}
