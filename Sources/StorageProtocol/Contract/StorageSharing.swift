/// How several processes may use one store at a time. What nobody knows is taken for `exclusive`.
public struct StorageSharing: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Any number of processes read and write (one at a time writes).
    public static let multiProcess = StorageSharing(rawValue: "multiProcess")
    /// One process writes, as long as it has the store open; others may read.
    public static let oneWriterManyReaders = StorageSharing(rawValue: "oneWriterManyReaders")
    /// One process has the store to itself.
    public static let exclusive = StorageSharing(rawValue: "exclusive")
}
