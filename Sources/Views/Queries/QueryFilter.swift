internal import SetteeEngine

/// A condition on rows, applied after the index was read and before `skip` and `limit`.
///
/// Two filters are equal if they are copies of the same filter.
public final class QueryFilter: Sendable, Equatable {
    let accepts: @Sendable (QueryRow) throws -> Bool

    /// - Parameter accepts: returns whether a row belongs to the result. If it throws, the query ends with that error.
    public init(_ accepts: @escaping @Sendable (QueryRow) throws -> Bool) { self.accepts = accepts }

    public static func == (a: QueryFilter, b: QueryFilter) -> Bool { a === b }
}
