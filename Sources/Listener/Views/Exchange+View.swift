internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDesignDocuments
internal import SetteeDocumentValues
internal import SetteeEngine
internal import SetteeViews
internal import StorageProtocol

/// Queries of views.
extension Exchange {
    func view(_ name: String, of design: String, in served: ServedDatabase) async throws -> Answer {
        let members = method == .post ? try await jsonObject(upTo: core.options.bulkBytes) : JSONObject()
        let view = try await blocking { try served.designs.view(name, of: design) }
        if let queries = members["queries"]?.arrayValue {
            return try await queriesAnswer(queries, of: view, in: served)
        }
        guard !asksForQueries else {
            guard method == .post else { throw CouchError.methodNotAllowed(["POST"]) }
            throw CouchError.badRequest("`queries` member must be an array.")
        }
        return try await rowsAnswer(members, of: view, in: served)
    }

    /// Whether the path ends with `_view/NAME/queries`.
    private var asksForQueries: Bool {
        let names = target.segments.suffix(3)
        return names.count == 3 && names.last == "queries" && names.first == "_view"
    }

    /// Several queries of a view in one answer.
    private func queriesAnswer(
        _ queries: [JSONValue],
        of view: DatabaseView,
        in served: ServedDatabase
    ) async throws -> Answer {
        let known = try await core.builds.status(of: view, in: served, isUpdated: false)
        var requests: [ViewRequest] = []
        for query in queries {
            guard let members = query.objectValue else { throw CouchError.badRequest("A query must be an object.") }
            let options = RequestOptions(query: target.query, body: members)
            requests.append(try ViewRequest(options, hasReduce: known.reduce != nil))
        }
        let isUpdated = requests.contains { $0.options.update == .before }
        let status = try await core.builds.status(of: view, in: served, isUpdated: isUpdated)
        let listings = try await blocking { [requests] in
            try requests.map { request in
                let head = request.head(status, offset: try request.offset(in: view, status))
                return (head, try ViewListing(request, of: view, attachments(request.options, served)))
            }
        }
        var answers = ViewListings(listings, core.calls(reducing: status))
        // The first rows are read before the head is sent, so that what goes wrong with them has a status.
        let first = try await answers.next()
        let body = Answer.Body.stream(length: nil) { [answers] sink in
            var (answers, piece) = (answers, first)
            while let text = piece {
                try await sink.write(text)
                piece = try await answers.next()
            }
        }
        return Answer(status: .ok, headers: [.contentType: "application/json"], body: body)
    }

    /// The rows of one query.
    ///
    /// - Parameter temporary: What is to be kept until the rows are sent.
    func rowsAnswer(
        _ members: JSONObject,
        of view: DatabaseView,
        in served: ServedDatabase,
        keeping temporary: TemporaryView? = nil
    ) async throws -> Answer {
        let known = try await core.builds.status(of: view, in: served, isUpdated: false)
        let options = RequestOptions(query: target.query, body: members)
        let request = try ViewRequest(options, hasReduce: known.reduce != nil)
        let isUpdated = request.options.update == .before
        let status = isUpdated ? try await core.builds.status(of: view, in: served, isUpdated: true) : known
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "must-revalidate"]
        if temporary == nil {
            let tag = try await tag(request, status, members, of: view, in: served)
            if try hasCurrent(tag) { return .notModified(tag) }
            headers[.eTag] = tag.header
        }
        let calls = core.calls(reducing: request.isReduced ? status : nil)
        // The first rows are read before the head is sent, so that what goes wrong with them has a status.
        let listing = try ViewListing(request, of: view, attachments(request.options, served))
        let offset = try await blocking { try request.offset(in: view, status) }
        let (begun, first) = try await calls.next(of: listing, after: request.head(status, offset: offset))
        let body = Answer.Body.stream(length: nil) { sink in
            defer { withExtendedLifetime(temporary) {} }
            var (listing, text) = (begun, first)
            while !listing.isOver {
                try await sink.write(text.take())
                (listing, text) = try await calls.next(of: listing, after: text)
            }
            text.raw("\n]}\n")
            try await sink.write(text.take())
        }
        return Answer(status: .ok, headers: headers, body: body)
    }

    /// The tag changes with the rows of the index, and with what is asked. It is made before rows are read: rows that
    /// are newer than their tag are only sent once more.
    private func tag(
        _ request: ViewRequest,
        _ status: ViewStatus,
        _ members: JSONObject,
        of view: DatabaseView,
        in served: ServedDatabase
    ) async throws -> EntityTag {
        // The values of the app's own functions may be whole documents, which change while the index does not.
        let (sequence, reduce) = try await blocking { () throws -> (UInt64, Reduce?) in
            let showsDocuments = try request.options.includesDocuments || view.map != nil
            return (showsDocuments ? try view.database.lastSequence : 0, try view.reduce)
        }
        var hasher = StableHash()
        hasher.combine(target.text.utf8)
        hasher.combine(try members.canonicalBytes())
        let functions = [status.version, reduce?.name ?? "", reduce?.version ?? ""]
        hasher.combine("\(functions.joined(separator: "/"))/\(status.rowCount)/\(sequence)".utf8)
        if request.options.includesSequence || request.options.update != .before {
            hasher.combine("/\(status.lastSequence)/\(status.isStale)".utf8)
        }
        return EntityTag("\(served.uuid)-\(status.lastChangedSequence)-\(String(hasher.value, radix: 36))")
    }
}
