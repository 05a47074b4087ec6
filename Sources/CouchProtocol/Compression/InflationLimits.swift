/// How much compressed content may grow, so that a small body cannot fill the memory or disk.
public struct InflationLimits: Sendable {
    /// The highest number of inflated bytes.
    public var bytes: UInt64
    /// The highest number of inflated bytes for each compressed one. Deflate reaches 1,032 at most, and one document
    /// repeated 400,000 times 343.
    public var ratio: UInt64
    /// The ratio does not matter up to this number of inflated bytes.
    public var freeBytes: UInt64

    public init(bytes: UInt64, ratio: UInt64 = 500, freeBytes: UInt64 = 1 << 20) {
        self.bytes = bytes
        self.ratio = ratio
        self.freeBytes = freeBytes
    }

    func allow(_ inflated: UInt64, from compressed: UInt64) -> Bool {
        guard inflated <= bytes else { return false }
        let (most, overflow) = compressed.multipliedReportingOverflow(by: ratio)
        return overflow || inflated <= max(most, freeBytes)
    }
}
