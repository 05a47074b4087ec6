internal import Foundation
internal import HTTPTypes
internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol

@testable internal import SetteeListener

/// What a client asks for, to be sent over HTTP or to be done by calls of a database.
enum ClientRequest: Sendable {
    case save(String, JSONObject, parent: RevisionID?)
    case remove(String, RevisionID)
    case read(String)
    case readRevision(String, RevisionID)
    case readBranches(String)
    case saveMany([Write])
    /// With the history of each revision, newest first.
    case insertMany([Insertion])
    case ask(String, [RevisionID])
    case list(descending: Bool, start: String?, limit: Int)
    case changes(since: UInt64, limit: Int)
    case attach(String, name: String, [UInt8], parent: RevisionID?)
    case readAttachment(String, name: String)
    case saveLocal(String, JSONObject, parent: String?)
    case readLocal(String)

    struct Write: Sendable {
        var id: String
        var properties: JSONObject
        var parent: RevisionID?
    }

    struct Insertion: Sendable {
        var id: String
        var properties: JSONObject
        var history: [RevisionID]
    }

    /// The request as it is sent to the database `db`.
    var message: (method: HTTPRequest.Method, path: String, type: String?, body: [UInt8]) {
        switch self {
        case .save(let id, let properties, let parent):
            var properties = properties
            properties["_rev"] = parent.map { .string($0.string) }
            return (.put, ClientRequest.path(id), "application/json", ClientRequest.bytes(properties))
        case .remove(let id, let revision):
            return (.delete, "\(ClientRequest.path(id))?rev=\(revision.string)", nil, [])
        case .read(let id): return (.get, ClientRequest.path(id), nil, [])
        case .readRevision(let id, let revision):
            return (.get, "\(ClientRequest.path(id))?rev=\(revision.string)&revs=true", nil, [])
        case .readBranches(let id): return (.get, "\(ClientRequest.path(id))?open_revs=all", nil, [])
        case .saveMany(let writes):
            let documents = writes.map { write in
                var properties = write.properties
                properties["_id"] = .string(write.id)
                properties["_rev"] = write.parent.map { .string($0.string) }
                return JSONValue.object(properties)
            }
            return (.post, "/db/_bulk_docs", "application/json", ClientRequest.bytes(["docs": .array(documents)]))
        case .insertMany(let insertions):
            let documents = insertions.map { JSONValue.object($0.document) }
            let body: JSONObject = ["docs": .array(documents), "new_edits": false]
            return (.post, "/db/_bulk_docs", "application/json", ClientRequest.bytes(body))
        case .ask(let id, let revisions):
            let body: JSONObject = [id: .array(revisions.map { .string($0.string) })]
            return (.post, "/db/_revs_diff", "application/json", ClientRequest.bytes(body))
        case .list(let descending, let start, let limit):
            let text = start.map { "&start_key=" + ClientRequest.escaped("\"\($0)\"") } ?? ""
            return (.get, "/db/_all_docs?descending=\(descending)&limit=\(limit)&include_docs=true\(text)", nil, [])
        case .changes(let sequence, let limit):
            return (.get, "/db/_changes?since=\(sequence)&limit=\(limit)&style=all_docs", nil, [])
        case .attach(let id, let name, let content, let parent):
            let text = parent.map { "?rev=\($0.string)" } ?? ""
            return (.put, "\(ClientRequest.path(id))/\(ClientRequest.escaped(name))\(text)", "text/plain", content)
        case .readAttachment(let id, let name):
            return (.get, "\(ClientRequest.path(id))/\(ClientRequest.escaped(name))", nil, [])
        case .saveLocal(let name, let properties, let parent):
            var properties = properties
            properties["_rev"] = parent.map { .string($0) }
            return (.put, "/db/_local/\(name)", "application/json", ClientRequest.bytes(properties))
        case .readLocal(let name): return (.get, "/db/_local/\(name)", nil, [])
        }
    }

    private static func path(_ id: String) -> String { "/db/" + escaped(id) }
    private static func escaped(_ text: String) -> String {
        text.utf8.map { String(format: "%%%02X", $0) }.joined()
    }
    private static func bytes(_ object: JSONObject) -> [UInt8] { Array(JSONValue.object(object).description.utf8) }
}

extension ClientRequest.Insertion {
    /// The revision as replicators send it.
    var document: JSONObject {
        var document = properties
        document["_id"] = .string(id)
        document["_rev"] = .string(history[0].string)
        let ids = history.map { JSONValue.string(String($0.string.drop { $0 != "-" }.dropFirst())) }
        document["_revisions"] = ["start": JSONValue(history[0].generation), "ids": .array(ids)]
        return document
    }
}
