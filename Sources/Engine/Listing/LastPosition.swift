internal import StorageProtocol

/// The bytes of the place that a listing has handed out last, in memory that is used again: each row of a scan is
/// copied here.
@safe
struct LastPosition: ~Copyable {
    private var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var count = 0

    deinit { unsafe memory.deallocate() }

    /// Takes these bytes in the place of those before.
    mutating func take(_ bytes: RawSpan) {
        count = bytes.byteCount
        if unsafe memory.count < count {
            unsafe memory.deallocate()
            unsafe memory = .allocate(byteCount: max(64, 2 * count), alignment: 8)
        }
        unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
    }

    /// Negative, 0 or positive as `place` comes before the last one, is the same, or comes behind it.
    func order(of place: RawSpan) -> Int { withBytes { compareBytes(place, $0) } }

    func withBytes<R>(_ use: (RawSpan) -> R) -> R {
        unsafe use(UnsafeRawBufferPointer(start: memory.baseAddress, count: count).bytes)
    }

    /// A copy of the bytes.
    var copy: [UInt8] { unsafe Array(UnsafeRawBufferPointer(start: memory.baseAddress, count: count)) }
}
