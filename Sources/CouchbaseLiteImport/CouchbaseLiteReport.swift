/// The outcome of importing an old database.
public struct CouchbaseLiteReport: Sendable {
    /// Documents in the new database, including deleted ones.
    public internal(set) var documents = 0
    /// Documents of which nothing could be imported.
    public internal(set) var failed = 0
    /// Revisions in the trees of these documents, including those without a body.
    public internal(set) var revisions = 0
    /// Bodies that were kept, of current and older revisions.
    public internal(set) var bodies = 0
    /// Contents of attachments, each counted once.
    public internal(set) var attachments = 0
    public internal(set) var localDocuments = 0
    /// Info values, including UUIDs.
    public internal(set) var infoValues = 0
    /// The names of views. Their functions are code and not in the file: define the views again.
    public internal(set) var views: [String] = []
    /// Whether the old database was encrypted.
    public internal(set) var wasEncrypted = false
    /// What could not be imported unchanged, in the order found; at most `problemsListed`.
    public internal(set) var problems: [CouchbaseLiteProblem] = []
    /// How many more problems there are than those listed.
    public internal(set) var problemsNotListed = 0

    /// The most problems listed, so that a badly damaged database does not fill the memory.
    public static let problemsListed = 10_000

    /// Whether everything was imported unchanged.
    public var isComplete: Bool { problems.isEmpty && failed == 0 }

    mutating func add(_ problem: CouchbaseLiteProblem) {
        if problems.count < CouchbaseLiteReport.problemsListed {
            problems.append(problem)
        } else {
            problemsNotListed += 1
        }
    }
}

/// A part of an old database that could not be imported unchanged. It contains nothing from documents.
public struct CouchbaseLiteProblem: Sendable, Equatable, CustomStringConvertible {
    /// The document's ID; nil if the problem does not concern a document or the ID is unknown.
    public let document: String?
    /// The revision's ID; nil if the problem does not concern a single revision or the ID is unknown.
    public let revision: String?
    /// What is wrong, and what was done about it.
    public let reason: String

    public var description: String {
        switch (document, revision) {
        case (let document?, let revision?): "document '\(document)', revision \(revision): \(reason)"
        case (let document?, nil): "document '\(document)': \(reason)"
        default: reason
        }
    }
}
