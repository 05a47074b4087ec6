/// What a request target may have at most.
public struct TargetLimits: Sendable {
    /// The bytes of the whole target, as they are sent.
    public var bytes: Int
    /// The segments of the path.
    public var segments: Int
    /// The names in the query.
    public var items: Int

    public init(bytes: Int = 16 << 10, segments: Int = 256, items: Int = 256) {
        self.bytes = bytes
        self.segments = segments
        self.items = items
    }
}
