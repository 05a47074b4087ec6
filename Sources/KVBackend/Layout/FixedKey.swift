internal import StorageProtocol

/// Keys of fixed length, which are big-endian numbers in memory of their own.
@safe
struct FixedKey {
    private let bytes: UInt64

    init(_ number: UInt64) { bytes = number.bigEndian }

    /// Passes the bytes of the key to `body`.
    @inline(__always)
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe withUnsafePointer(to: bytes) { (bytes) throws(StorageError) in
            try unsafe body(UnsafeRawBufferPointer(start: bytes, count: 8))
        }
    }

    /// Decodes a key as a number. Nil if it is not 8 bytes long.
    @inline(__always)
    static func number(_ key: UnsafeRawBufferPointer) -> UInt64? {
        guard key.count == 8 else { return nil }
        return unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
    }
}
