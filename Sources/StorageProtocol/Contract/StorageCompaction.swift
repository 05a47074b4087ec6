/// How the space that a store no longer needs is given back.
public struct StorageCompaction: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// By `copy` into a new directory, which takes the place of the old one; writers wait meanwhile.
    public static let copying = StorageCompaction(rawValue: "copying")
    /// By `beginRewrite`, while the store is written to. It then happens without being asked, too.
    public static let inSteps = StorageCompaction(rawValue: "inSteps")
    /// The engine tidies its own files; `compact` asks for it.
    public static let byItself = StorageCompaction(rawValue: "byItself")
    /// Not at all.
    public static let none = StorageCompaction(rawValue: "none")
}
