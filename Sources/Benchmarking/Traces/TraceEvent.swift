/// A line of a trace: an operation of a database. What its kind has no use for is 0, false or empty.
public struct TraceEvent: Sendable, Equatable {
    public var operation: TraceOperation
    /// Which database, from 1.
    public var database = 1
    /// Which thread, from 1.
    public var thread = 1
    /// When it began, in microseconds since the beginning of the trace.
    public var microseconds: UInt64 = 0
    /// How long it took.
    public var nanoseconds: UInt64 = 0

    /// The hash of the document's ID, of the view's name, or of the content.
    public var subject: UInt64 = 0
    /// Those of the views, of the contents of a revision's attachments, or of the revisions.
    public var subjects: [UInt64] = []
    /// The lengths of the contents.
    public var lengths: [UInt64] = []
    /// The hash of the revision.
    public var revision: UInt64?
    /// The hash of the revision that it follows.
    public var parent: UInt64?
    public var generation: UInt64 = 1
    /// How long the history of a revision from elsewhere is.
    public var history = 1
    /// How many revisions are missing between it and the one that it follows.
    public var gap = 0
    /// Bytes; nil if there was nothing, or nothing was asked for.
    public var size: UInt64?
    /// Where a read of a content begins.
    public var offset: UInt64 = 0
    public var rows = 0
    /// By how many elements of the key rows are grouped.
    public var level = 0
    /// When a document expires, in milliseconds since the trace began; nil: never.
    public var expiry: Int64?
    public var isDeleted = false
    public var isDescending = false
    public var isNew = false
    public var reduces = false
    public var withDocuments = false

    public init(_ operation: TraceOperation) { self.operation = operation }
}
