/// A body to be stored.
@safe
enum StoredBody {
    /// JSON, stored unchanged after a first byte of 0.
    case plain(UnsafeRawBufferPointer)
    /// The stored form, its first byte included.
    case encoded(UnsafeRawBufferPointer)

    /// The length of the stored form in bytes.
    var length: Int {
        switch self {
        case .plain(let json): json.count + 1
        case .encoded(let bytes): bytes.count
        }
    }

    /// Writes the stored form at `offset` of a buffer that has room for it.
    @inline(__always)
    func write(to buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        switch self {
        case .plain(let json):
            unsafe buffer[offset] = 0
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[(offset &+ 1)...]).copyMemory(from: json)
        case .encoded(let bytes):
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]).copyMemory(from: bytes)
        }
    }
}
