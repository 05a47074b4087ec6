internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// One of the documents of `_bulk_docs`, parsed.
struct BulkDocument: Sendable {
    let id: String?
    let revision: String?
    var body: Result<DocumentBody, CouchError>

    init(_ json: RawSpan) {
        do throws(CouchError) {
            let parsed = try DocumentBody(wire: json)
            (id, revision, body) = (parsed.id, parsed.revision?.string, .success(parsed))
        } catch {
            // The row of a document that is refused has its ID, as far as it can be read.
            let members = (try? JSONValue(parsing: json))?.objectValue
            (id, revision) = (members?["_id"]?.stringValue, members?["_rev"]?.stringValue)
            body = .failure(error)
        }
    }

    /// Why the whole request is refused, as CouchDB does where something cannot be a document; nil if it may be one, or
    /// is refused by itself. With `new_edits` of `false` that is so for what has an ID and a revision: CouchDB's
    /// replicator counts such a row as a failure of the document and goes on, but ends at another status.
    func refusalOfAll(newEdits: Bool) -> CouchError? {
        switch body {
        case .failure(let error): return newEdits || id == nil ? error : nil
        case .success(let body) where newEdits: return body.id.flatMap { BulkDocument.refusal(ofID: $0) }
        case .success(let body):
            guard let text = body.id else { return .illegalDocumentID("The document has no `_id`.") }
            guard body.revision == nil, body.history.isEmpty, (try? DocumentID(text))?.isLocal != true else {
                return nil
            }
            return .badRequest("With `new_edits` of `false` a document needs `_rev` or `_revisions`.")
        }
    }

    private static func refusal(ofID text: String) -> CouchError? {
        do throws(CouchError) {
            _ = try Exchange.documentID(text)
            return nil
        } catch {
            return error
        }
    }
}
