internal import NIOHTTP1
internal import SetteeDocumentValues
internal import StorageProtocol

extension RemotePeer {
    /// A row names a document and its leaves.
    private static let rowBytes = 8 << 20
    /// With so much in its rows a page ends, whatever was asked for.
    private static let pageBytes = 16 << 20
    private static let heartbeat = Duration.seconds(30)

    func changes(_ query: ChangesQuery) async throws -> ChangesPage {
        guard let wait = query.wait else {
            return try await client.retrying { try await self.page(query, isWaiting: false) }
        }
        let empty = ChangesPage(rows: [], lastSequence: query.since ?? 0, isAtEnd: true)
        return try await withThrowingTaskGroup(of: ChangesPage?.self) { group in
            group.addTask { try await self.client.retrying { try await self.page(query, isWaiting: true) } }
            group.addTask {
                try await Task.sleep(for: wait)
                return nil
            }
            // What has come of the answer when the time is over is asked for again.
            defer { group.cancelAll() }
            return try await group.next().flatMap { $0 } ?? empty
        }
    }

    private func page(_ query: ChangesQuery, isWaiting: Bool) async throws -> ChangesPage {
        let response = try await client.send(request(query, isWaiting: isWaiting))
        guard response.isSuccess else { throw await response.failure() }
        var rows = JSONRows(of: "results", limit: RemotePeer.rowBytes)
        var changes: [ChangedDocument] = []
        var size = 0
        let kept = isWaiting ? documentsToKeep(query) : nil
        while let bytes = try await response.body.next() {
            rows.append(bytes)
            while let change = try RemotePeer.change(&rows) {
                if kept?.contains(Array(change.id.utf8)) ?? true { changes.append(change) }
                size += change.size
                guard size < RemotePeer.pageBytes else {
                    // Rows come in their order: the rest is the next page's.
                    response.body.close()
                    return ChangesPage(rows: changes, lastSequence: change.sequence, isAtEnd: false)
                }
            }
        }
        let rest = try rows.finish()
        let last = rest["last_seq"] ?? changes.last?.sequence ?? query.since ?? 0
        // A server may have a limit of its own: without `pending` only a page that goes no further is the last one.
        let isAtEnd = rest["pending"]?.intValue.map { $0 <= 0 } ?? (changes.isEmpty || last == query.since)
        return ChangesPage(rows: changes, lastSequence: last, isAtEnd: isAtEnd)
    }

    /// The IDs to leave only, where the server cannot: Sync Gateway has no feed of documents that waits.
    private func documentsToKeep(_ query: ChangesQuery) -> Set<[UInt8]>? {
        guard case .documentIDs(let ids) = query.filter, dialect.withLock({ $0.isSyncGateway }) else { return nil }
        return Set(ids.map { Array($0.utf8) })
    }

    /// Options are in the URL, and for Sync Gateway in the body too, where there is one.
    private func request(_ query: ChangesQuery, isWaiting: Bool) throws -> RemoteRequest {
        var options: [(name: String, value: JSONValue)] = [("style", "all_docs"), ("limit", JSONValue(query.limit))]
        if let since = query.since { options.append(("since", since)) }
        options.append(("feed", isWaiting ? "longpoll" : "normal"))
        if isWaiting { options.append(("heartbeat", JSONValue(RemotePeer.heartbeat.components.seconds * 1000))) }
        var body: JSONObject?
        switch query.filter {
        case nil: break
        case .documentIDs(let ids):
            if isWaiting, documentsToKeep(query) != nil { break }
            options.append(("filter", "_doc_ids"))
            body = JSONObject([("doc_ids", .list(ids))])
        case .selector(let selector):
            options.append(("filter", "_selector"))
            body = JSONObject([("selector", .object(selector))])
        case .channels(let channels):
            options.append(("filter", "sync_gateway/bychannel"))
            options.append(("channels", .string(channels.joined(separator: ","))))
        case .named(let name, let parameters):
            options.append(("filter", .string(name)))
            for (name, value) in parameters { options.append((name, value)) }
        }
        var request = RemoteRequest(body == nil ? .GET : .POST, "_changes")
        request.query = options.map { ($0.name, $0.value.opaqueText) }
        if var body {
            for (name, value) in options { body[name] = value }
            request.body = .json(try body.canonicalBytes())
        }
        return request
    }

    /// The next row; nil if more bytes are needed, or the rows have ended.
    static func change(_ rows: inout JSONRows) throws(PeerError) -> ChangedDocument? {
        if let change = rows.next(readBy: PlainChange.read) { return change }
        return try rows.next().map { (row) throws(PeerError) in try change(row) }
    }

    private static func change(_ row: JSONRows.Row) throws(PeerError) -> ChangedDocument {
        guard case .text(let text) = row else { throw .badAnswer("a change that is too long") }
        guard let members = (try? JSONValue(parsing: text))?.objectValue, let sequence = members["seq"],
            let id = members["id"]?.stringValue, let changes = members["changes"]?.arrayValue
        else { throw .badAnswer("no list of changes") }
        return ChangedDocument(
            sequence: sequence,
            id: id,
            leaves: changes.compactMap { $0.objectValue?["rev"]?.stringValue },
            isDeleted: members["deleted"]?.boolValue ?? false,
            isRemoved: !(members["removed"]?.arrayValue ?? []).isEmpty
        )
    }
}

extension ChangedDocument {
    /// About how many bytes of memory it takes.
    fileprivate var size: Int { leaves.reduce(64 + id.utf8.count) { $0 + 16 + $1.utf8.count } }
}
