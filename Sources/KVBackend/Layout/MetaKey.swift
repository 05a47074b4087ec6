internal import StorageProtocol

/// The keys of `meta`.
enum MetaKey: String {
    case format
    case counters

    /// Passes the bytes of the key to `body`.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe rawValue.utf8.span.bytes.withUnsafeBytes(body)
    }
}
