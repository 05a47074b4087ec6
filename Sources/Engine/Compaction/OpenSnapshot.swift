/// A snapshot that is being read. As long as it lives, what was changed since cannot be used again: the files grow.
public struct OpenSnapshot: Sendable, Equatable {
    /// The process that reads.
    public var process: UInt32
    /// Its name, where it left one.
    public var program: String
    /// For how long. Nil where another process reads and does not say so, as programs of older versions do not.
    public var age: Duration?
    /// How many commits there were since, at most; known for another process that reads, nil for this one.
    public var commitsBehind: UInt64?
}
