internal import NIOHTTP1
internal import SetteeDocumentValues
internal import StorageProtocol

extension RemotePeer {
    func missing(_ documents: [OfferedDocument]) async throws -> [LackedRevisions?] {
        let all = documents.map { LackedRevisions(missing: $0.revisions, possibleAncestors: []) }
        guard !documents.isEmpty, dialect.withLock({ $0.hasRevisionsDiff }) else { return all }
        var request = RemoteRequest(.POST, "_revs_diff")
        let question = documents.map { ($0.id, JSONValue.list($0.revisions)) }
        request.body = .json(try JSONObject(question).canonicalBytes())
        let (others, limit): (Set<Int>, Int) = ([404, 405, 501], RemotePeer.answerBytes)
        let answer = try await client.json(request, or: others, about: documents.count, upTo: limit)
        guard let answer else {
            // Without the database this is another failure.
            _ = try await information()
            dialect.withLock { $0.hasRevisionsDiff = false }
            return all
        }
        guard let members = answer.objectValue else { throw PeerError.badAnswer("no object") }
        return documents.map { document in
            guard let lacked = members[document.id]?.objectValue, let missing = lacked["missing"]?.strings else {
                return nil
            }
            // Only what was asked for.
            let named = Set(missing)
            let wanted = document.revisions.filter { named.contains($0) }
            guard !wanted.isEmpty else { return nil }
            return LackedRevisions(missing: wanted, possibleAncestors: lacked["possible_ancestors"]?.strings ?? [])
        }
    }
}

extension JSONValue {
    static func list(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The texts of an array; nil if it is none.
    var strings: [String]? { arrayValue?.compactMap(\.stringValue) }
}
