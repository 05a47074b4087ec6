/// How a store frees the space that it no longer needs.
public struct StorageCompaction: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// By `copy` into a new directory, which then replaces the old one. Writers wait until it is done.
    public static let copying = StorageCompaction(rawValue: "copying")
    /// By `beginRewrite`, while the store is being written to. This also happens automatically.
    public static let inSteps = StorageCompaction(rawValue: "inSteps")
    /// The engine cleans up its own files when `compact` is called.
    public static let byItself = StorageCompaction(rawValue: "byItself")
    /// Not at all.
    public static let none = StorageCompaction(rawValue: "none")
}
