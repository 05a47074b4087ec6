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
        return try documents.map { (document) throws(PeerError) in
            guard let entry = members[document.id] else { return nil }
            guard let lacked = entry.objectValue, let missing = lacked["missing"]?.arrayValue else {
                throw .badAnswer("no list of missing revisions")
            }
            guard !missing.isEmpty else { return nil }
            // Only what was asked for.
            let named = Set(missing.compactMap(\.stringValue))
            let wanted = document.revisions.filter { named.contains($0) }
            guard !wanted.isEmpty else { throw .badAnswer("a list of other revisions") }
            return LackedRevisions(missing: wanted, possibleAncestors: lacked["possible_ancestors"]?.strings ?? [])
        }
    }
}

extension JSONValue {
    static func list(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

    /// The texts of an array; nil if it is none.
    var strings: [String]? { arrayValue?.compactMap(\.stringValue) }
}
