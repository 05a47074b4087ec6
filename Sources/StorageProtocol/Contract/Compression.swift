/// How a store keeps the bodies of documents. Chosen when it is made; what is read is the same. Engines may have others
/// than these; a `StorageCapabilities` lists what its stores can do.
public struct Compression: RawRepresentable, Hashable, Sendable, CaseIterable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// As they are.
    public static let uncompressed = Compression(rawValue: "none")
    /// By LZ4, with a dictionary that is made of the store's own documents.
    public static let lz4 = Compression(rawValue: "lz4")

    /// Those that are known here.
    public static let allCases: [Compression] = [.uncompressed, .lz4]
}
