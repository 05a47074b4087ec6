internal import StorageProtocol

/// Checks that a walk over a table always moves in one direction: in a damaged tree the pages may form a circle, or
/// have keys out of order.
struct KeyOrder: ~Copyable {
    private let descending: Bool
    private var last = KeyBuffer()
    private var isFirst = true

    init(descending: Bool = false) { self.descending = descending }

    /// - Parameter key: The next key of the walk.
    /// - Throws: `corrupt` (591) if it does not come after the previous one.
    /// - Complexity: Compares and copies the key.
    @inline(__always)
    mutating func pass(_ key: UnsafeRawBufferPointer) throws(StorageError) {
        if !isFirst {
            let order = unsafe compareBytes(last.bytes.bytes, key.bytes)
            guard descending ? order > 0 : order < 0 else { throw .outOfOrder }
        }
        isFirst = false
        last.removeAll()
        unsafe last.append(key)
    }
}

extension StorageError {
    static var outOfOrder: StorageError { .corrupt("The keys of a table are out of order") }
}
