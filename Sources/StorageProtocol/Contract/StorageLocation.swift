/// Where a store is located.
public struct StorageLocation: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// In the engine object, with which it ends. There is no path, and the store cannot be opened again.
    public static let memory = StorageLocation(rawValue: "memory")
    /// In the files of the directory that is passed to `open`.
    public static let folder = StorageLocation(rawValue: "folder")
    /// Elsewhere. The directory that is passed to `open`, in a database folder like any other, holds what leads to the
    /// store.
    public static let remote = StorageLocation(rawValue: "remote")
}
