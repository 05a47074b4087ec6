internal import SetteeDocumentValues
internal import StorageProtocol

/// A document of a bulk import, read and ready to be saved.
struct ImportedDocument: Sendable {
    /// Where it begins in the text.
    var line: Int
    var offset: Int
    var id: DocumentID
    /// Whether the ID was made here, so that there cannot be a document of it.
    var hasNewID: Bool
    var body: DocumentBody
    /// The ID of `body` as a first revision; nil where the document comes with a revision of its own, and where it has
    /// attachments, whose stubs the ID depends on.
    var first: RevisionID?

    /// - Parameter element: a document's text as it was cut out of a stream.
    init(
        _ element: JSONElementSplitter.Element,
        idField: String?,
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
        body = try unsafe DocumentBody(parsing: element.text.span.bytes, with: &parser)
        let given = try ImportedDocument.givenID(element, body, idField, parser)
        hasNewID = given == nil
        id = try DocumentID(given ?? Database.makeID())
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
        case .int, .uint, .double:
            var text: [UInt8] = []
            parser.writeCanonical(member, into: &text)
            return String(decoding: text, as: UTF8.self)
        default:
            throw StorageError(.badID, "The member that shall be the document's ID is neither a string nor a number.")
        }
    }
}
