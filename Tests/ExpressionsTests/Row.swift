import SetteeDocumentValues
import SetteeExpressions
import StorageProtocol
import Testing

/// A selector, a document, and whether it matches. Both are JSON texts.
struct Row: Sendable {
    let selector: String
    let document: String
    let isMatch: Bool

    init(_ selector: String, _ document: String, _ isMatch: Bool) {
        self.selector = selector
        self.document = document
        self.isMatch = isMatch
    }

    /// Expects the result for every row.
    static func check(_ rows: [Row], sourceLocation: SourceLocation = #_sourceLocation) throws {
        for row in rows {
            let result = try matches(row.selector, row.document)
            #expect(
                result == row.isMatch,
                "\(row.selector) on \(row.document) should be \(row.isMatch)",
                sourceLocation: sourceLocation
            )
        }
    }
}

/// Returns whether a document matches a selector.
func matches(
    _ selector: String,
    _ document: String,
    id: DocumentID = "doc1",
    revision: String = "2-0123456789abcdef0123456789abcdef",
    isDeleted: Bool = false
) throws -> Bool {
    let selector = try MangoSelector(JSONValue(parsing: selector))
    let body = try JSONValue(parsing: document).canonicalBytes()
    return try selector.matches(
        body.span.bytes,
        id: id,
        revision: RevisionID(revision),
        isDeleted: isDeleted
    )
}
