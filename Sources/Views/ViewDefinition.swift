public import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A map function that is stored in the database, made of places in documents: every program can use it, the shell too.
///
/// A document has one row where all conditions hold and the key is there.
public struct ViewDefinition: Sendable, Equatable {
    /// A place in a document compared with a literal.
    public struct Condition: Sendable, Equatable {
        /// How they are compared.
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

    /// Where the key stands. Several make an array, with null for what is not there; of a single one that is not there
    /// is no row.
    public var keys: [JSONPointer]
    /// Where the value stands; the whole document for the empty pointer; nil: rows have none.
    public var value: JSONPointer?
    /// What must hold of a document. A comparison of unlike types, or with what is not there, does not.
    public var conditions: [Condition]
    /// What must be there, be it null: a document without one of these places has no row.
    public var requiredPlaces: [JSONPointer]
    /// Only documents with this `type` have rows; nil: all.
    public var documentType: String?
    /// The name of a built-in reduce function, as `_count`; nil: none.
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
