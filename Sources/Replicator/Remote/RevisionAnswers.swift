internal import SetteeCouchProtocol
internal import SetteeDocumentValues
internal import StorageProtocol

/// What an answer says about one revision.
enum AnsweredRevision {
    case document(RevisionReader.Document)
    /// - Parameter error: Nil: the server does not have it.
    case failed(id: String?, revision: String?, PeerError?)
    /// It could not be read, not even its ID.
    case unreadable(PeerError)
}

/// Reads the rows and parts of answers with revisions.
struct RevisionAnswers: ~Copyable {
    /// A row is `{"docs":[{"ok":DOCUMENT}]}`.
    private var rows = JSONParser(limit: RevisionReader.limit, envelope: 3)
    private var documents = RevisionReader()

    /// Reads a row of `_bulk_get`, or of `open_revs` in JSON.
    mutating func read(_ row: JSONRows.Row) -> [AnsweredRevision] {
        guard case .text(let text) = row else { return [.unreadable(RevisionAnswers.tooLarge)] }
        do {
            try unsafe rows.parse(text.span.bytes)
        } catch {
            return [.unreadable(PeerError(.badDocument, status: error.status, error.message))]
        }
        guard let root = rows.root else { return [] }
        guard let list = rows.member("docs", of: root) else { return [read(root, of: nil)] }
        let id = rows.member("id", of: root).flatMap { rows.string(of: $0) }
        var elements: [JSONNode] = []
        rows.forEachElement(of: list) { elements.append($0) }
        return elements.map { read($0, of: id) }
    }

    /// Reads a part of a multipart answer.
    mutating func read(_ part: DocumentParts.Part) -> AnsweredRevision {
        switch part {
        case .tooLarge: return .unreadable(RevisionAnswers.tooLarge)
        case .failure(let json):
            let members = (try? JSONValue(parsing: json))?.objectValue ?? JSONObject()
            return failure(members, of: nil)
        case .document(let json):
            do throws(PeerError) {
                return .document(try unsafe documents.read(json.span.bytes, mayFollow: true))
            } catch {
                return .unreadable(error)
            }
        }
    }

    private mutating func read(_ node: JSONNode, of id: String?) -> AnsweredRevision {
        if let document = rows.member("ok", of: node) { return read(document: document, of: id) }
        if let revision = rows.member("missing", of: node).flatMap({ rows.string(of: $0) }) {
            return .failed(id: id, revision: revision, nil)
        }
        let members = rows.member("error", of: node).flatMap { rows.value(of: $0).objectValue }
        return failure(members ?? rows.value(of: node).objectValue ?? JSONObject(), of: id)
    }

    private mutating func read(document: JSONNode, of id: String?) -> AnsweredRevision {
        do throws(PeerError) {
            var text: [UInt8] = []
            rows.withSource(of: document) { source in
                unsafe source.withUnsafeBytes { unsafe text.append(contentsOf: $0) }
            }
            return .document(try unsafe documents.read(text.span.bytes))
        } catch {
            return id == nil ? .unreadable(error) : .failed(id: id, revision: nil, error)
        }
    }

    /// `{"id","rev","error","reason"}`, or `{"missing":REV}`.
    private func failure(_ members: JSONObject, of id: String?) -> AnsweredRevision {
        let named = members["id"]?.stringValue ?? id
        let missing = members["missing"]?.stringValue
        guard let error = CouchError(row: members).map({ PeerError($0) }) else {
            if let missing { return .failed(id: named, revision: missing, nil) }
            let error = PeerError.badAnswer("neither a revision nor an error")
            return named == nil ? .unreadable(error) : .failed(id: named, revision: nil, error)
        }
        let revision = members["rev"]?.stringValue ?? missing
        return .failed(id: named, revision: revision, error.kind == .notFound ? nil : error)
    }

    private static var tooLarge: PeerError {
        PeerError(.tooLarge, status: 413, "A document is longer than a database holds.")
    }
}
