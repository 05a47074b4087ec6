internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// `_all_docs`, `_design_docs` and `_local_docs`.
extension Exchange {
    func listing(_ resource: Route.DatabaseResource, of served: ServedDatabase) async throws -> Answer {
        let members = method == .post ? try await jsonObject(upTo: core.options.bulkBytes) : JSONObject()
        if target.segments.last == "queries" {
            let wanted = try queries(members)
            if resource == .localDocuments { return try await localQueriesAnswer(wanted, of: served) }
            return queriesAnswer(wanted, prefix: resource.prefix, of: served)
        }
        let wanted = try Exchange.listingOptions(RequestOptions(query: target.query, body: members))
        // Local documents take no sequence, from which the tag is made.
        if resource == .localDocuments { return try await localListing(wanted, of: served) }
        let tag = try await listingTag(members, of: served)
        if try hasCurrent(tag) { return .notModified(tag) }
        let rows = DocumentListing(wanted, prefix: resource.prefix, attachments(wanted, served), of: served.database)
        let head = try await blocking {
            try Exchange.listingHead(wanted, prefix: resource.prefix, of: served.database)
        }
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "must-revalidate"]
        headers[.eTag] = tag.header
        let body = Answer.Body.stream(length: nil) { [core] sink in
            try await sink.write(ByteBuffer(bytes: head.bytes))
            try await sink.writePieces(after: rows) { rows, size in
                guard !rows.isOver else { return nil }
                return try await core.threads.run {
                    var rows = rows
                    var text = JSONAnswerText(reserving: size + size / 8)
                    try rows.appendRows(upTo: size, to: &text)
                    return (rows, text.take())
                }
            }
            try await sink.write(ByteBuffer(string: "\n]}\n"))
        }
        return Answer(status: .ok, headers: headers, body: body)
    }

    func attachments(_ wanted: ListingOptions, _ served: ServedDatabase) -> AttachmentMembers {
        var members = AttachmentMembers(database: served.database, usesStoredDigests: usesStoredDigests)
        members.includesEncodingInfo = wanted.includesEncodingInfo
        if wanted.includesAttachments { members.contents = .inline(after: 0) }
        return members
    }

    /// What stands before the rows. `offset` is the number of rows before the first one: null where only reading them
    /// all could tell it, as behind a start key, and with `keys`, where CouchDB has null, too.
    private static func listingHead(
        _ wanted: ListingOptions,
        prefix: String,
        of database: Database
    ) throws -> JSONAnswerText {
        var text = JSONAnswerText()
        let count = try prefix.isEmpty ? database.documentCount : Exchange.count(prefix, in: database)
        text.raw(#"{"total_rows":"#)
        text.number(count)
        if wanted.includesSequence {
            text.raw(#","update_seq":"#)
            text.number(try database.lastSequence)
        }
        text.raw(#","offset":"#)
        if prefix.isEmpty, wanted.key == nil, wanted.keys == nil, wanted.startKey == nil {
            text.number(min(UInt64(wanted.skip), count))
        } else {
            text.raw("null")
        }
        text.raw(#","rows":["#)
        text.raw("\n")
        return text
    }

    /// Returns how many documents have IDs that begin with a prefix.
    ///
    /// - Complexity: O(these documents).
    private static func count(_ prefix: String, in database: Database) throws -> UInt64 {
        var count: UInt64 = 0
        try database.read { snapshot in
            let query = DocumentQuery(startKey: prefix, endKey: DocumentListing.end(ofPrefix: prefix))
            try snapshot.forEachDocument(query) { _ in
                count += 1
                return true
            }
        }
        return count
    }

    /// The tag changes with every commit to the database, and with what is asked.
    private func listingTag(_ members: JSONObject, of served: ServedDatabase) async throws -> EntityTag {
        let sequence = try await blocking { try served.database.lastSequence }
        var hasher = StableHash()
        hasher.combine(target.text.utf8)
        hasher.combine(try members.canonicalBytes())
        return EntityTag("\(served.uuid)-\(sequence)-\(String(hasher.value, radix: 36))")
    }

    private func localListing(_ wanted: ListingOptions, of served: ServedDatabase) async throws -> Answer {
        try await blocking {
            var text = JSONAnswerText()
            try LocalListing(wanted: wanted, database: served.database).append(to: &text)
            return .json(.ok, text.bytes)
        }
    }

    /// Several listings of local documents in one answer.
    private func localQueriesAnswer(_ wanted: [ListingOptions], of served: ServedDatabase) async throws -> Answer {
        try await blocking {
            var text = JSONAnswerText()
            text.raw(#"{"results":["#)
            for (place, options) in wanted.enumerated() {
                text.raw(place > 0 ? ",\n" : "\n")
                try LocalListing(wanted: options, database: served.database).append(to: &text)
            }
            text.raw("]}\n")
            return .json(.ok, text.bytes)
        }
    }

    private func queries(_ members: JSONObject) throws -> [ListingOptions] {
        guard let queries = members["queries"]?.arrayValue else {
            throw CouchError.badRequest("`queries` member must be an array.")
        }
        return try queries.map { query in
            guard let options = query.objectValue else { throw CouchError.badRequest("A query must be an object.") }
            return try Exchange.listingOptions(RequestOptions(query: target.query, body: options))
        }
    }

    private static func listingOptions(_ options: RequestOptions) throws(CouchError) -> ListingOptions {
        let wanted = try ListingOptions(options)
        try wanted.requireNoRangeBesideKeys()
        return wanted
    }

    /// Several listings in one answer.
    private func queriesAnswer(
        _ wanted: [ListingOptions],
        prefix: String,
        of served: ServedDatabase
    ) -> Answer {
        let listings = wanted.map { wanted in
            (wanted, DocumentListing(wanted, prefix: prefix, attachments(wanted, served), of: served.database))
        }
        let body = Answer.Body.stream(length: nil) { [core, listings] sink in
            var text = JSONAnswerText()
            text.raw(#"{"results":["#)
            for (place, (wanted, rows)) in listings.enumerated() {
                var rows = rows
                if place > 0 { text.raw(",") }
                text.raw("\n")
                let head = try await core.threads.run {
                    try Exchange.listingHead(wanted, prefix: prefix, of: served.database)
                }
                text.raw(head.bytes)
                while !rows.isOver {
                    (rows, text) = try await core.threads.run { [rows, text] in
                        var (rows, text) = (rows, text)
                        try rows.appendRows(upTo: 65_536, to: &text)
                        return (rows, text)
                    }
                    try await sink.write(text.take())
                }
                text.raw("\n]}")
            }
            text.raw("\n]}\n")
            try await sink.write(text.take())
        }
        return Answer(status: .ok, headers: [.contentType: "application/json"], body: body)
    }
}

extension Route.DatabaseResource {
    fileprivate var prefix: String { self == .designDocuments ? "_design/" : "" }
}
