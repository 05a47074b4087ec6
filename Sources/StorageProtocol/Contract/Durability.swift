/// What a commit survives. Engines may know more than these two; a `StorageCapabilities` lists what its stores can
/// promise.
public struct Durability: RawRepresentable, Hashable, Sendable, CaseIterable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// A commit that returned survives power loss: the disk is synced at every commit.
    public static let full = Durability(rawValue: "full")
    /// A commit that returned survives the end of the process; the last ones may be lost with the power, never the
    /// consistency.
    public static let normal = Durability(rawValue: "normal")

    /// Those that every engine on disk has.
    public static let allCases: [Durability] = [.full, .normal]
}
