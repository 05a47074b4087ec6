/// What a query has read so far.
public struct FindStatistics: Sendable, Equatable {
    /// Rows of indexes.
    public internal(set) var keysExamined = 0
    /// Documents.
    public internal(set) var documentsExamined = 0
    /// Rows that were returned.
    public internal(set) var rowsReturned = 0

    /// Adds what another part of the query has read.
    mutating func add(_ other: FindStatistics) {
        keysExamined += other.keysExamined
        documentsExamined += other.documentsExamined
    }
}
