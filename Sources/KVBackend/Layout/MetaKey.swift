internal import StorageProtocol

/// The keys of `meta`.
enum MetaKey: String {
    case format
    case counters

    /// The key's bytes, for the time of `body`.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe rawValue.utf8.span.bytes.withUnsafeBytes(body)
    }
}
