/// What a commit survives. Engines may define further values. `StorageCapabilities` lists those that the stores of a
/// type can promise.
public struct Durability: RawRepresentable, Hashable, Sendable, CaseIterable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A commit that has returned survives power loss: the disk is synced at every commit.
    public static let full = Durability(rawValue: "full")
    /// A commit that has returned survives the end of the process. A power loss may lose the last commits but never
    /// leaves the store inconsistent.
    public static let normal = Durability(rawValue: "normal")

    /// The values that every engine on disk supports.
    public static let allCases: [Durability] = [.full, .normal]
}
