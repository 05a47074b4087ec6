/// A snapshot in use. As long as it exists, space that was freed since cannot be used again, and the files grow.
public struct OpenSnapshot: Sendable, Equatable {
    /// The process that reads.
    public var process: UInt32
    /// The name of the process, if it left one.
    public var program: String
    /// The age of the snapshot. Nil if another process reads and does not say so; programs of older versions do not.
    public var age: Duration?
    /// The highest possible number of commits since; known for another process that reads, nil for this one.
    public var commitsBehind: UInt64?
}
