/// What a multipart message may have at most.
public struct MultipartLimits: Sendable {
    /// The number of parts.
    public var parts: Int
    /// The bytes of a part's headers, with their line ends.
    public var headerBytes: Int
    /// The number of a part's headers.
    public var headers: Int

    public init(parts: Int = 10_000, headerBytes: Int = 16 << 10, headers: Int = 64) {
        self.parts = parts
        self.headerBytes = headerBytes
        self.headers = headers
    }
}
