/// Decides whether a document matches a selector of CouchDB's query language (Mango).
///
/// The language is described at https://docs.couchdb.org/en/stable/ddocs/mango.html.
public struct MangoSelector: Sendable {}

extension MangoSelector {
    /// The maximum depth: how many fields and operators may be nested in one another.
    public static let maximumDepth = 64
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
    /// The maximum work for a document, some two seconds of it. The length of every value that is searched for a field,
    /// or tested, counts; 8 times where a collation key is made; and 128 for each condition and element.
    public static let maximumWork = 1 << 33
}
