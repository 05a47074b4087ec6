/// Where a store is.
public struct StorageLocation: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// In the engine object: it ends with that. There is no path, and no second opening.
    public static let memory = StorageLocation(rawValue: "memory")
    /// In the files of the directory that it is opened with.
    public static let folder = StorageLocation(rawValue: "folder")
    /// Elsewhere. The directory that it is opened with, of a database folder like any other, holds what leads there.
    public static let remote = StorageLocation(rawValue: "remote")
}
