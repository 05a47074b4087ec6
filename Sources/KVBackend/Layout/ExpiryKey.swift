internal import StorageProtocol

/// Keys of `expiries`: the time as a number that sorts, then the document's ID.
enum ExpiryKey {
    /// Passes the key of a document that expires at `time` to `body`.
    static func withBytes<R>(
        _ time: Int64,
        _ id: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        var key = KeyBuffer()
        defer { key.removeAll() }
        key.append(bigEndian: sortable(time))
        unsafe key.append(id)
        return try unsafe body(key.bytes)
    }

    /// Splits a key into its parts.
    ///
    /// - Throws: `corrupt` (591) for a key without an ID.
    static func parts(
        _ key: UnsafeRawBufferPointer
    ) throws(StorageError) -> (time: Int64, id: UnsafeRawBufferPointer) {
        guard key.count > 8 else { throw .damagedExpiration }
        let number = unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
        return unsafe (Int64(bitPattern: number ^ 1 << 63), UnsafeRawBufferPointer(rebasing: key[8...]))
    }

    /// Times before 1970 come first.
    private static func sortable(_ time: Int64) -> UInt64 { UInt64(bitPattern: time) ^ 1 << 63 }
}
