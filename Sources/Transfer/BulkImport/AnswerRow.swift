internal import SetteeDocumentValues
internal import StorageProtocol

/// A row of an answer of CouchDB's `_all_docs` (or of a view), or of `_changes`, in a text of documents.
enum AnswerRow {
    /// The row's document.
    case document(JSONNode)
    case withoutDocument(StorageError)
    /// The last line of a feed of changes.
    case end

    /// Nil if the parsed value is not such a row. Rows have certain members and no others. Those of a view without
    /// documents cannot be told from documents with the same members.
    init?(_ parser: borrowing JSONParser) {
        guard !parser.hasReservedMembers, let root = parser.root, parser.kind(of: root) == .object,
            (1...5).contains(parser.count(of: root)),
            let row = AnswerRow(changesIn: root, parser) ?? AnswerRow(rowIn: root, parser)
        else { return nil }
        self = row
    }

    private init?(rowIn root: JSONNode, _ parser: borrowing JSONParser) {
        guard parser.member("key", of: root) != nil,
            AnswerRow.has(only: ["id", "key", "value", "doc", "error"], root, parser)
        else { return nil }
        if let error = parser.member("error", of: root) {
            guard parser.string(of: error) != nil, parser.member("doc", of: root) == nil else { return nil }
            self = .withoutDocument(StorageError(.notFound, "The row says that there is no document of its key."))
            return
        }
        guard let id = parser.member("id", of: root), parser.kind(of: id) == .string,
            let value = parser.member("value", of: root)
        else { return nil }
        let isOfAllDocs = parser.kind(of: value) == .object && parser.member("rev", of: value) != nil
        self.init(documentIn: root, parser, isRowAnyway: isOfAllDocs)
    }

    private init?(changesIn root: JSONNode, _ parser: borrowing JSONParser) {
        if parser.member("last_seq", of: root) != nil, AnswerRow.has(only: ["last_seq", "pending"], root, parser) {
            self = .end
            return
        }
        guard let id = parser.member("id", of: root), parser.kind(of: id) == .string,
            let changes = parser.member("changes", of: root), parser.kind(of: changes) == .array,
            parser.member("seq", of: root) != nil,
            AnswerRow.has(only: ["seq", "id", "changes", "deleted", "doc"], root, parser)
        else { return nil }
        self.init(documentIn: root, parser, isRowAnyway: true)
    }

    private init?(documentIn root: JSONNode, _ parser: borrowing JSONParser, isRowAnyway: Bool) {
        guard let document = parser.member("doc", of: root) else {
            guard isRowAnyway else { return nil }
            self = .withoutDocument(
                StorageError(
                    .badRequest,
                    "This is a row without its document. Ask the server for it with include_docs=true."
                )
            )
            return
        }
        switch parser.kind(of: document) {
        case .object where isRowAnyway || parser.member("_id", of: document) != nil: self = .document(document)
        case .null:
            self = .withoutDocument(StorageError(.notFound, "The row has null as its document, which is deleted."))
        default: return nil
        }
    }

    private static func has(only names: [String], _ root: JSONNode, _ parser: borrowing JSONParser) -> Bool {
        var known = 0
        for name in names where parser.member(name, of: root) != nil { known += 1 }
        return known == parser.count(of: root)
    }
}
