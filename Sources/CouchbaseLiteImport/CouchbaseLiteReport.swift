/// What became of an old database.
public struct CouchbaseLiteReport: Sendable {
    /// Documents that are in the new database, deleted ones included.
    public internal(set) var documents = 0
    /// Documents of which nothing could be brought.
    public internal(set) var failed = 0
    /// Revisions in the trees of these documents, those without a body included.
    public internal(set) var revisions = 0
    /// Bodies that were kept, current ones and older ones.
    public internal(set) var bodies = 0
    /// Attachments' contents, each once.
    public internal(set) var attachments = 0
    public internal(set) var localDocuments = 0
    /// Info values, UUIDs included.
    public internal(set) var infoValues = 0
    /// The names of views. Their functions are code, and are not in the file: define the views anew.
    public internal(set) var views: [String] = []
    /// Whether the old database was encrypted.
    public internal(set) var wasEncrypted = false
    /// What could not be brought as it was, in the order in which it was found; at most `problemsListed`.
    public internal(set) var problems: [CouchbaseLiteProblem] = []
    /// How many problems there are beyond those that are listed.
    public internal(set) var problemsNotListed = 0

    /// No more problems are listed, so that a badly damaged database does not fill the memory.
    public static let problemsListed = 10_000

    /// Whether everything was brought as it was.
    public var isComplete: Bool { problems.isEmpty && failed == 0 }

    mutating func add(_ problem: CouchbaseLiteProblem) {
        if problems.count < CouchbaseLiteReport.problemsListed {
            problems.append(problem)
        } else {
            problemsNotListed += 1
        }
    }
}

/// Something of an old database that could not be brought as it was. It holds no content of documents.
public struct CouchbaseLiteProblem: Sendable, Equatable, CustomStringConvertible {
    /// The document's ID, nil where it is none of a document or is not known.
    public let document: String?
    /// The revision's ID, nil where it is none of a single one or is not known.
    public let revision: String?
    /// What is wrong, and what became of it.
    public let reason: String

    public var description: String {
        switch (document, revision) {
        case (let document?, let revision?): "document '\(document)', revision \(revision): \(reason)"
        case (let document?, nil): "document '\(document)': \(reason)"
        default: reason
        }
    }
}
