internal import NIOHTTP1
internal import SetteeDocumentValues

extension RemotePeer: FilteringPeer {
    /// The function's text in its design document, which CouchDB's replicator has in the checkpoint's ID as well.
    func filterVersion(_ name: String) async throws -> String? {
        let parts = name.split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let request = RemoteRequest(.GET, RemoteRequest.path(of: "_design/" + parts[0]))
        let answer = try await client.json(request, or: [400, 403, 404, 405], upTo: RemotePeer.answerBytes)
        return answer?.objectValue?["filters"]?.objectValue?[String(parts[1])]?.stringValue
    }
}
