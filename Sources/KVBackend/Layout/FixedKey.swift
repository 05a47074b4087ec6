internal import StorageProtocol

/// Keys of fixed length: numbers, big-endian, in memory of their own.
@safe
struct FixedKey {
    private let bytes: UInt64

    init(_ number: UInt64) { bytes = number.bigEndian }

    /// The key's bytes, for the time of `body`.
    @inline(__always)
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe withUnsafePointer(to: bytes) { (bytes) throws(StorageError) in
            try unsafe body(UnsafeRawBufferPointer(start: bytes, count: 8))
        }
    }

    /// The number that a key is. Nil where it is not 8 bytes long.
    @inline(__always)
    static func number(_ key: UnsafeRawBufferPointer) -> UInt64? {
        guard key.count == 8 else { return nil }
        return unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
    }
}
