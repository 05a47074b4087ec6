public import SetteeDocumentValues
public import StorageProtocol

/// Decides whether a document matches a selector of CouchDB's query language (Mango), read once and used for any number
/// of documents on any number of threads.
///
/// ```swift
/// let selector = try MangoSelector(["type": "invoice", "total": ["$gte": 100]])
/// let isWanted = try selector.matches(body, id: id, revision: revision)
/// ```
///
/// The language, its limits and its few differences are described in `docs/reference/selectors.md`; CouchDB's own page
/// is https://docs.couchdb.org/en/stable/ddocs/mango.html.
public struct MangoSelector: Sendable {
    let matcher: Matcher
    let needsID: Bool
    let needsRevision: Bool

    /// Reads a selector from its JSON text.
    ///
    /// - Throws: As `init(_:)`, and `badRequest` (400) for text that is not JSON; `tooLarge` (413) for over 32 MiB.
    /// - Complexity: As `init(_:)`.
    public init(json: RawSpan) throws(StorageError) {
        let value: JSONValue
        do throws(StorageError) {
            value = try JSONValue(parsing: json)
        } catch {
            guard error.code == .badJSON else { throw error }
            throw StorageError(.badRequest, error.message)
        }
        try self.init(value)
    }

    /// Reads a selector.
    ///
    /// - Throws: `badRequest` (400) for a value that is not an object, an operator that does not exist or is not
    ///   supported, an operator's bad argument, a field name that is empty, and beyond the limits below. The text names
    ///   the operator or the field. `cancelled` (596) if the task is cancelled while a long selector is read.
    /// - Complexity: O(size of the selector), plus the compilation of its regular expressions.
    public init(_ value: JSONValue) throws(StorageError) {
        try self.init(value) { () throws(StorageError) in if Task.isCancelled { throw SelectorFault.cancelled } }
    }

    /// - Parameter check: called from time to time. What it throws ends the reading.
    package init(
        _ value: JSONValue,
        check: @escaping () throws(StorageError) -> Void
    ) throws(StorageError) {
        guard case .object(let members) = value else { throw SelectorFault.noObject }
        var compiler = SelectorCompiler(check: check)
        self.init(members.isEmpty ? .all([]) : try compiler.condition(value, SelectorContext()))
    }

    /// The selector that matches what all of these match.
    package init(all selectors: [MangoSelector]) {
        self.init(selectors.count == 1 ? selectors[0].matcher : Matcher(.all(selectors.map(\.condition))))
    }

    init(_ condition: Condition) { self.init(Matcher(condition)) }

    init(_ matcher: Matcher) {
        self.matcher = matcher
        needsID = matcher.condition.names(.id)
        needsRevision = matcher.condition.names(.revision)
    }

    var condition: Condition { matcher.condition }

    /// Selectors of parts of the condition.
    func selectors(of parts: [Condition]) -> [MangoSelector] { parts.map { MangoSelector(Matcher($0, of: matcher)) } }

    /// Returns whether a revision matches.
    ///
    /// - Parameters:
    ///   - body: the stored body: the canonical text of an object, without `_id` and `_rev`.
    ///   - id: what `_id` is compared with.
    ///   - revision: what `_rev` is compared with.
    ///   - isDeleted: whether the revision is a tombstone, so that `_deleted` is true.
    /// - Throws: `badRequest` (400) if regular expressions take too long, or the work exceeds `maximumWork`; `tooLarge`
    ///   (413) for a string that is too long for regular expressions, or an array or object that is too large to be
    ///   ordered; `badJSON` (493) for a body that is damaged; `unexpected` (500) if ICU fails.
    /// - Complexity: O(length of what precedes the last field in the body, at about 16 bytes a step, plus that of the
    ///   values that are tested). Nothing is allocated where fields are compared with null, booleans, short numbers,
    ///   and printable ASCII strings for equality.
    public func matches(
        _ body: RawSpan,
        id: DocumentID,
        revision: RevisionID,
        isDeleted: Bool = false
    ) throws(StorageError) -> Bool {
        let evaluation = Evaluation(
            id: needsID ? MangoSelector.text(id.string) : [],
            revision: needsRevision ? MangoSelector.text(revision.string) : [],
            isDeleted: isDeleted
        )
        var workspace = Workspace()
        return try matcher.holds(body, evaluation, &workspace)
    }

    static func text(_ string: String) -> [UInt8] {
        var text: [UInt8] = []
        JSONText.append(string, to: &text)
        return text
    }
}

extension MangoSelector {
    /// The maximum depth: how many fields and operators may be nested in one another.
    public static let maximumDepth = 512
    /// The maximum number of conditions and operators in a selector.
    public static let maximumConditions = 10_000
    /// The maximum length of the path to a field, in bytes.
    public static let maximumPathLength = 1024
    /// The maximum length of all regular expressions of a selector together, in UTF-16 code units.
    public static let maximumPatternLength = 4096
    /// The maximum length of a string that is searched with a regular expression, in bytes of its JSON text.
    public static let maximumSearchedLength = 1 << 18
    /// The processor time that all searches in a document with regular expressions may take, in milliseconds.
    public static let maximumSearchTime = 500
    /// The maximum work for a document, some two seconds of it. The length of every value that is searched for fields,
    /// or tested, counts; 8 times where a collation key is made; and 128 for each condition and element.
    public static let maximumWork = 1 << 33
}
