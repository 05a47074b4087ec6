internal import StorageProtocol

/// Keys of fixed length: numbers, big-endian, in memory of their own.
@safe
struct FixedKey {
    private var first: UInt64
    private var second: UInt64
    private let count: Int

    init(_ number: UInt64) {
        first = number.bigEndian
        second = 0
        count = 8
    }

    /// A key of `expiries`: times below 1970 come first.
    init(time: Int64, handle: UInt64) {
        first = (UInt64(bitPattern: time) ^ 1 << 63).bigEndian
        second = handle.bigEndian
        count = 16
    }

    /// The key's bytes, for the time of `body`.
    @inline(__always)
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        let pair = (first, second)
        return try unsafe withUnsafePointer(to: pair) { (pair) throws(StorageError) in
            try unsafe body(UnsafeRawBufferPointer(start: pair, count: count))
        }
    }

    /// The number at `offset` of a key. Nil where the key is not `length` bytes long.
    @inline(__always)
    static func number(
        _ key: UnsafeRawBufferPointer,
        at offset: Int = 0,
        length: Int = 8
    ) -> UInt64? {
        guard key.count == length else { return nil }
        return unsafe UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The time of a key of `expiries`. Nil where the key has another length.
    static func time(_ key: UnsafeRawBufferPointer) -> Int64? {
        guard let number = unsafe number(key, length: 16) else { return nil }
        return Int64(bitPattern: number ^ 1 << 63)
    }
}
