public import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A map function that is stored in the database and made of JSON pointers into documents: every program can use it,
/// including the shell.
///
/// A document has one row if all conditions hold and the key exists.
public struct ViewDefinition: Sendable, Equatable {
    /// A JSON pointer into a document compared with a literal.
    public struct Condition: Sendable, Equatable {
        /// The kind of comparison.
        public enum Comparison: String, Sendable, CaseIterable {
            case equal = "=="
            case unequal = "!="
            case less = "<"
            case atMost = "<="
            case greater = ">"
            case atLeast = ">="
        }

        public var place: JSONPointer
        public var comparison: Comparison
        public var literal: JSONValue

        public init(_ place: JSONPointer, _ comparison: Comparison, _ literal: JSONValue) {
            self.place = place
            self.comparison = comparison
            self.literal = literal
        }
    }

    /// Where the key is. Several pointers make an array, with null for a missing value; a single pointer to a missing
    /// value gives no row.
    public var keys: [JSONPointer]
    /// Where the value is; the whole document for the empty pointer; nil: rows have no value.
    public var value: JSONPointer?
    /// The conditions that must hold for a document. A comparison of unlike types, or with a missing value, does not
    /// hold.
    public var conditions: [Condition]
    /// What must exist, even if it is null: a document that lacks one of these has no row.
    public var requiredPlaces: [JSONPointer]
    /// Only documents with this `type` have rows; nil: all.
    public var documentType: String?
    /// The name of a built-in reduce function, such as `_count`; nil: none.
    public var reduce: String?
    /// The order of the keys.
    public var collation: ViewCollation

    public init(
        keys: [JSONPointer],
        value: JSONPointer? = nil,
        conditions: [Condition] = [],
        documentType: String? = nil,
        reduce: String? = nil,
        collation: ViewCollation = .unicode,
        requiredPlaces: [JSONPointer] = []
    ) {
        self.keys = keys
        self.value = value
        self.conditions = conditions
        self.requiredPlaces = requiredPlaces
        self.documentType = documentType
        self.reduce = reduce
        self.collation = collation
    }
}
