internal import SetteeEngine

/// A condition on rows that is applied after the index was read, and before `skip` and `limit`.
///
/// Two filters are equal where they are the same one: made once, and copied.
public final class QueryFilter: Sendable, Equatable {
    let accepts: @Sendable (QueryRow) throws -> Bool

    /// - Parameter accepts: whether a row belongs to the result; what it throws ends the query.
    public init(_ accepts: @escaping @Sendable (QueryRow) throws -> Bool) { self.accepts = accepts }

    public static func == (a: QueryFilter, b: QueryFilter) -> Bool { a === b }
}
