internal import HTTPTypes
internal import NIOCore
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// `_bulk_get`: many revisions, in the order asked, with one result for each.
extension Exchange {
    /// One document that is wanted.
    struct BulkGetItem: Sendable {
        /// Nil: the item has none.
        var id: String?
        var revision: RevisionID?
        var attachmentsSince: [RevisionID]?
        /// What is wrong with it, and the revision that is named with it; nil: null.
        var refusal: (error: CouchError, revision: String?)?
    }

    /// So many items are answered from one state: a few at first, then as many as make about 1 MiB.
    private static let fewestItems = 8
    private static let mostItems = 100
    private static let pieceBytes = 1 << 20

    func bulkGet(from served: ServedDatabase) async throws -> Answer {
        let members = try await jsonObject(upTo: core.options.bulkBytes)
        guard let entries = members["docs"]?.arrayValue else {
            throw CouchError.badRequest("Missing JSON list of 'docs'.")
        }
        let items = try entries.map { try BulkGetItem($0) }
        let wanted = try DocumentOptions(RequestOptions(query: target.query, body: members))
        let attachments = attachmentMembers(wanted, in: served)
        let accepted = acceptedTypes
        if !accepted.take("application/json"),
            let type = ["mixed", "related"].first(where: { accepted.take("multipart/" + $0) })
        {
            return bulkGet(items, wanted, attachments, as: type, from: served)
        }
        let body = Answer.Body.stream(length: nil) { [core, route] sink in
            var text = JSONAnswerText()
            text.raw(#"{"results":["#)
            var rest = items[...]
            var count = Exchange.fewestItems
            while !rest.isEmpty {
                let some = rest.prefix(count)
                rest = rest.dropFirst(count)
                text = try await core.threads.run { [text] in
                    var text = text
                    try Exchange.append(some, wanted, attachments, of: served.database, to: &text) {
                        core.log($0, of: route)
                    }
                    return text
                }
                count = min(max(1, some.count * Exchange.pieceBytes / max(1, text.count)), Exchange.mostItems)
                try await sink.write(text.take())
            }
            text.raw("]}\n")
            try await sink.write(text.take())
        }
        return Answer(status: .ok, headers: [.contentType: "application/json"], body: body)
    }

    /// Adds the results of some items, all from one state. Blocks.
    private static func append(
        _ items: ArraySlice<BulkGetItem>,
        _ wanted: DocumentOptions,
        _ attachments: AttachmentMembers,
        of database: Database,
        to text: inout JSONAnswerText,
        failed: (StorageError) -> Void
    ) throws {
        var requests: [RevisionRequest] = []
        var places: [Int] = []
        for (place, item) in items.enumerated() {
            guard let request = item.request(latest: wanted.isLatest) else { continue }
            requests.append(request)
            places.append(place)
        }
        var results: [Int: JSONAnswerText] = [:]
        let first = items.startIndex
        try database.revisions(requests) { (number, answer, json) throws(StorageError) in
            let place = places[number]
            let item = items[first + place]
            var result = results[place] ?? JSONAnswerText()
            if result.count > 0 { result.raw(",") }
            switch answer {
            case .found(let found):
                do {
                    let before = result
                    do {
                        result.raw(#"{"ok":"#)
                        let attachments = attachments.without(contentsOf: item.attachmentsSince, of: found)
                        try RevisionText(found, wanted, in: database).append(json, attachments, to: &result)
                        result.raw("}")
                    } catch let error as StorageError {
                        failed(error)
                        result = before
                        result.error(CouchError(error), id: item.id, revision: found.id.string)
                    }
                } catch {
                    result.error(.tooLarge, id: item.id, revision: found.id.string)
                }
            case .missing(let revision): result.error(.missing, id: item.id, revision: revision.string)
            case .noDocument: result.error(.missing, id: item.id, revision: "undefined")
            }
            results[place] = result
        }
        for (place, item) in items.enumerated() {
            if first + place > 0 { text.raw(",") }
            text.raw(#"{"id":"#)
            text.value(item.id.map { .string($0) } ?? .null)
            text.raw(#","docs":["#)
            if let result = results[place] {
                text.raw(result.bytes)
            } else {
                let refusal = item.refusal ?? (.missing, "undefined")
                text.error(refusal.error, id: item.id, revision: refusal.revision)
            }
            text.raw("]}")
        }
    }
}

extension Exchange.BulkGetItem {
    /// What is asked of the database; nil if something is wrong with the item.
    func request(latest: Bool) -> RevisionRequest? {
        guard refusal == nil, let id = id.flatMap({ try? DocumentID($0) }) else { return nil }
        return RevisionRequest(
            documentID: id,
            selection: revision.map { .revisions([$0]) } ?? .leaves,
            latest: latest
        )
    }

    /// What is wrong is told for each item, as in CouchDB.
    ///
    /// - Throws: `bad_request` (400) for what is no object.
    init(_ value: JSONValue) throws(CouchError) {
        guard let object = value.objectValue else { throw .badRequest("A member of `docs` must be an object.") }
        id = object["id"]?.stringValue
        do throws(CouchError) {
            try Exchange.BulkGetItem.check(object["id"])
        } catch {
            refusal = (error, nil)
            return
        }
        if let text = object["rev"], !text.isNull {
            guard let id = text.stringValue.flatMap({ try? RevisionID(wire: $0) }) else {
                refusal = (.invalidRevision, text.stringValue ?? "undefined")
                return
            }
            revision = id
        }
        guard let since = object["atts_since"], !since.isNull else { return }
        guard let texts = since.arrayValue else {
            refusal = (.badRequest("`atts_since` must be an array of revisions."), "undefined")
            return
        }
        attachmentsSince = []
        for text in texts {
            guard let id = text.stringValue.flatMap({ try? RevisionID(wire: $0) }) else {
                refusal = (.invalidRevision, text.stringValue ?? "undefined")
                return
            }
            attachmentsSince?.append(id)
        }
    }

    private static func check(_ id: JSONValue?) throws(CouchError) {
        guard let id else { throw .badRequest("document id missed") }
        guard let text = id.stringValue else { throw .illegalDocumentID("Document id must be a string") }
        do throws(StorageError) {
            guard try !DocumentID(text).isLocal else {
                throw StorageError(.badID, "Local documents have no revisions.")
            }
        } catch {
            throw CouchError(error)
        }
    }
}

extension JSONAnswerText {
    /// Adds `{"error":{...}}` about a document.
    fileprivate mutating func error(_ error: CouchError, id: String?, revision: String?) {
        raw(#"{"error":{"id":"#)
        value(id.map { .string($0) } ?? .null)
        raw(#","rev":"#)
        value(revision.map { .string($0) } ?? .null)
        raw(#","error":"#)
        string(error.error)
        raw(#","reason":"#)
        string(error.reason)
        raw("}}")
    }
}
