/// How a store keeps the bodies of documents. Chosen when the store is created; it does not change what is read.
/// Engines may define further values. `StorageCapabilities` lists those that the stores of a type support.
public struct Compression: RawRepresentable, Hashable, Sendable, CaseIterable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bodies are stored as they are.
    public static let uncompressed = Compression(rawValue: "none")
    /// Bodies are compressed by LZ4, with a dictionary built from the store's own documents.
    public static let lz4 = Compression(rawValue: "lz4")

    /// The values defined here.
    public static let allCases: [Compression] = [.uncompressed, .lz4]
}
