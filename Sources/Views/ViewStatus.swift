internal import SetteeEngine

/// How a view and its index are.
public struct ViewStatus: Sendable, Equatable {
    /// The view's name.
    public var name: String
    /// The version that was set last; of a stored definition, its text.
    public var version: String
    /// The definition that is stored in the database; nil: the map function is in programs.
    public var definition: ViewDefinition?
    /// The name of the reduce function, where there is one.
    public var reduce: String?
    /// How the keys are ordered.
    public var collation: ViewCollation
    /// How many rows the index holds, 0 where it was never built. While another version is built it is still that of
    /// the one before.
    public var rowCount: UInt64
    /// The last sequence that the index has seen.
    public var lastSequence: UInt64
    /// The sequence up to which the index was being brought when one of its rows last changed.
    public var lastChangedSequence: UInt64
    /// Whether the database has changed since, or the index is of another version.
    public var isStale: Bool
    /// How many documents have no rows since the map function threw, as far as this process has seen since the database
    /// was opened.
    public var failedDocuments: Int
    /// How many rows were left out since their keys or values cannot be stored, or they had none, as far as this
    /// process has seen.
    public var refusedRows: Int
}
