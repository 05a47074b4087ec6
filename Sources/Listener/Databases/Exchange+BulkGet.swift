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
        var id: String
        var revision: Result<RevisionID?, CouchError>
        var attachmentsSince: [RevisionID]?
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
        let body = Answer.Body.stream(length: nil) { [core] sink in
            var text = JSONAnswerText()
            text.raw(#"{"results":["#)
            var rest = items[...]
            var count = Exchange.fewestItems
            while !rest.isEmpty {
                let some = rest.prefix(count)
                rest = rest.dropFirst(count)
                text = try await core.threads.run { [text] in
                    var text = text
                    try Exchange.append(some, wanted, attachments, of: served.database, to: &text)
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
        to text: inout JSONAnswerText
    ) throws {
        var requests: [RevisionRequest] = []
        var places: [Int] = []
        var refusals: [Int: CouchError] = [:]
        for (place, item) in items.enumerated() {
            do {
                requests.append(try item.request(latest: wanted.isLatest))
                places.append(place)
            } catch {
                refusals[place] = error
            }
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
            text.string(item.id)
            text.raw(#","docs":["#)
            if let result = results[place] {
                text.raw(result.bytes)
            } else {
                text.error(refusals[place] ?? .missing, id: item.id, revision: "undefined")
            }
            text.raw("]}")
        }
    }
}

extension Exchange.BulkGetItem {
    /// - Throws: For an ID or revision that no document has.
    func request(latest: Bool) throws(CouchError) -> RevisionRequest {
        let documentID: DocumentID
        do throws(StorageError) {
            documentID = try DocumentID(id)
        } catch {
            throw CouchError(error)
        }
        guard !documentID.isLocal else { throw .illegalDocumentID("Local documents have no revisions.") }
        let selection: RevisionRequest.Selection = try revision.get().map { .revisions([$0]) } ?? .leaves
        return RevisionRequest(documentID: documentID, selection: selection, latest: latest)
    }

    init(_ value: JSONValue) throws(CouchError) {
        guard let object = value.objectValue else { throw .badRequest("A member of `docs` must be an object.") }
        guard let id = object["id"]?.stringValue else { throw .badRequest("document id missed") }
        self.id = id
        if let text = object["rev"]?.stringValue {
            revision = Result { () throws(CouchError) in try RevisionID(wire: text) }
        } else {
            revision = .success(nil)
        }
        if let since = object["atts_since"]?.arrayValue {
            attachmentsSince = since.compactMap { $0.stringValue.flatMap { try? RevisionID(wire: $0) } }
        }
    }
}

extension JSONAnswerText {
    /// Adds `{"error":{...}}` about a document.
    fileprivate mutating func error(_ error: CouchError, id: String, revision: String) {
        raw(#"{"error":{"id":"#)
        string(id)
        raw(#","rev":"#)
        string(revision)
        raw(#","error":"#)
        string(error.error)
        raw(#","reason":"#)
        string(error.reason)
        raw("}}")
    }
}
