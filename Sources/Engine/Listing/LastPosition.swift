internal import StorageProtocol

/// The bytes of the position that a listing returned last, in memory that is reused: every row of a scan is copied
/// here.
@safe
struct LastPosition: ~Copyable {
    private var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0

    deinit { unsafe memory.deallocate() }

    /// Replaces the bytes.
    mutating func take(_ bytes: RawSpan) {
        count = bytes.byteCount
        if unsafe memory.count < count {
            unsafe memory.deallocate()
            unsafe memory = .allocate(byteCount: max(64, 2 * count), alignment: 8)
        }
        unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
    }

    /// Negative, 0 or positive if `place` is before the last one, the same, or after it.
    func order(of place: RawSpan) -> Int { withBytes { compareBytes(place, $0) } }

    func withBytes<R>(_ use: (RawSpan) -> R) -> R {
        unsafe use(UnsafeRawBufferPointer(start: memory.baseAddress, count: count).bytes)
    }

    /// Returns a copy of the bytes.
    var copy: [UInt8] { unsafe Array(UnsafeRawBufferPointer(start: memory.baseAddress, count: count)) }
}
