internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeExpressions
internal import StorageProtocol

/// `_changes` in its four forms.
extension Exchange {
    func changes(of served: ServedDatabase) async throws -> Answer {
        let members = method == .post ? try await changesBody() : JSONObject()
        var query = target.query
        if let id = header(HTTPField.Name("Last-Event-ID")!) { query.append(QueryItem("last-event-id", id)) }
        let wanted = try ChangesOptions(RequestOptions(query: query, body: members))
        let options = RequestOptions(query: query, body: members)
        let filter = try await blocking {
            try ChangesFilter(wanted, options: options, of: served) { try functionRequest(members, in: served) }
        }
        var attachments = AttachmentMembers(database: served.database, usesStoredDigests: usesStoredDigests)
        attachments.includesEncodingInfo = wanted.includesEncodingInfo
        if wanted.includesAttachments { attachments.contents = .inline(after: 0) }
        let rows = ChangesRows(wanted, filter, attachments, of: served.database)
        let feed = ChangesFeedWriter(
            served: served,
            wanted: wanted,
            core: core,
            body: body,
            access: FeedAccess(access, core, served)
        )
        switch wanted.feed {
        case .normal:
            let tag = try await changesTag(members, of: served)
            if try hasCurrent(tag) { return .notModified(tag) }
            var answer = Answer(status: .ok, headers: [.contentType: "application/json", .eTag: tag.header])
            answer.headers[.cacheControl] = "must-revalidate"
            // What goes wrong with the first rows has a status.
            let (begun, first) = try await feed.first(of: rows)
            answer.body = .stream(length: nil) { sink in try await feed.normal(begun, first, sink) }
            return answer
        case .longpoll:
            return try waiting("application/json") { sink in try await feed.longpoll(rows, sink) }
        case .continuous:
            return try waiting("application/json") { sink in try await feed.continuous(rows, sink) }
        case .eventsource:
            return try waiting("text/event-stream") { sink in try await feed.eventsource(rows, sink) }
        }
    }

    /// PouchDB and others send a POST without a body, or with an empty one.
    private func changesBody() async throws -> JSONObject {
        if body.isFinished { return JSONObject() }
        let bytes = try await collectBody(upTo: core.options.bulkBytes)
        if bytes.isEmpty { return JSONObject() }
        try ContentTypes.requireJSON(request.head.headerFields)
        try memory.takeValues(of: bytes)
        guard let value = try? JSONValue(parsing: bytes) else { throw CouchError.invalidJSON }
        guard let object = value.objectValue else { throw CouchError.badRequest("Request body must be a JSON object") }
        return object
    }

    private func waiting(
        _ type: String,
        _ write: @escaping @Sendable (any AnswerSink) async throws -> Void
    ) throws(CouchError) -> Answer {
        let feeds = core.feeds
        guard feeds.begin() else { throw .unavailable }
        let seat = FeedSeat(feeds)
        var answer = Answer(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "no-cache"],
            body: .stream(length: nil) { sink in
                defer { seat.leave() }
                try await write(sink)
            }
        )
        answer.isFeed = true
        return answer
    }

    private func changesTag(_ members: JSONObject, of served: ServedDatabase) async throws -> EntityTag {
        let sequence = try await blocking { try served.database.lastSequence }
        var hasher = StableHash()
        hasher.combine(target.text.utf8)
        hasher.combine(try members.canonicalBytes())
        return EntityTag("\(served.uuid)-\(sequence)-\(String(hasher.value, radix: 36))")
    }
}
