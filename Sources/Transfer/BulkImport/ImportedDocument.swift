internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A document of a bulk import, parsed and ready to be saved.
struct ImportedDocument: Sendable {
    /// The line of the text on which it begins.
    var line: Int
    var offset: Int
    var id: DocumentID
    /// Whether the ID was generated here, so that no such document can exist.
    var hasNewID: Bool
    var body: DocumentBody
    /// The ID of `body` as a first revision; nil if the document has its own revision ID, or has attachments, because
    /// the ID depends on their stubs.
    var first: RevisionID?

    /// Nil if the element is the last line of a feed.
    ///
    /// - Parameter element: A document's text as split from a stream.
    init?(
        _ element: JSONElementSplitter.Element,
        _ options: ImportOptions,
        with parser: inout JSONParser
    ) throws(StorageError) {
        line = element.line
        offset = element.offset
        if element.isTooLarge {
            throw StorageError(
                .tooLarge,
                "The document has more than \(DocumentBody.maximumLength) bytes. Split it, or keep large data "
                    + "elsewhere."
            )
        }
        var text = element.text
        if options.isExtendedJSON {
            try unsafe parser.parse(text.span.bytes)
            text = try ExtendedJSON.document(parser)
        }
        body = try unsafe DocumentBody(parsing: text.span.bytes, with: &parser, takesExpiry: true)
        if options.takesRows, element.name == nil, let row = AnswerRow(parser) {
            switch row {
            case .document(let node):
                text = Array(text[parser.sourceRange(of: node)])
                body = try unsafe DocumentBody(parsing: text.span.bytes, with: &parser, takesExpiry: true)
            case .withoutDocument(let error): throw error
            case .end: return nil
            }
        }
        let given = try ImportedDocument.givenID(element, body, options.idField, parser)
        hasNewID = given == nil
        id = try DocumentID(given ?? Database.makeID())
        if body.expiration != nil { try Database.refuseLocalExpiry(id) }
        if let revision = body.revision {
            if body.history.isEmpty { body.history = [revision] }
            guard body.history.first == revision else {
                throw StorageError(
                    .badRequest,
                    "The document's '_revisions' do not begin with its '_rev'. Correct one of them."
                )
            }
        } else if !body.history.isEmpty {
            throw StorageError(.badRequest, "The document has '_revisions' but no '_rev'. Add it, or leave both out.")
        } else if !id.isLocal, body.attachments == nil {
            first = try RevisionDigest.revisionID(
                body: unsafe body.canonical.span.bytes,
                parent: nil,
                isDeleted: body.isDeleted
            )
        }
    }

    private static func givenID(
        _ element: JSONElementSplitter.Element,
        _ body: DocumentBody,
        _ idField: String?,
        _ parser: borrowing JSONParser
    ) throws(StorageError) -> String? {
        guard let idField, let root = parser.root, let member = parser.member(idField, of: root) else {
            return body.id ?? element.name
        }
        switch parser.kind(of: member) {
        case .string: return parser.string(of: member)
        case .int, .uint, .longInteger, .double:
            var text: [UInt8] = []
            parser.writeCanonical(member, into: &text)
            return String(decoding: text, as: UTF8.self)
        default:
            throw StorageError(.badID, "The member that shall be the document's ID is neither a string nor a number.")
        }
    }
}
