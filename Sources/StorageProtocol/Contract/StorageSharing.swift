/// How several processes may use one store at the same time. An unknown value is treated as `exclusive`.
public struct StorageSharing: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Any number of processes can read and write. Only one writes at a time.
    public static let multiProcess = StorageSharing(rawValue: "multiProcess")
    /// One process can write, for as long as it has the store open. Others can read.
    public static let oneWriterManyReaders = StorageSharing(rawValue: "oneWriterManyReaders")
    /// Only one process can have the store open.
    public static let exclusive = StorageSharing(rawValue: "exclusive")
}
