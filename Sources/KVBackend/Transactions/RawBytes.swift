internal import StorageProtocol

extension Array where Element == UInt8 {
    /// A variant of `withUnsafeBytes` that rethrows the typed error.
    @inline(__always)
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe span.withUnsafeBytes(body)
    }
}

extension DocumentID {
    /// Passes the bytes of the ID to `body`, in the form for the store.
    @inline(__always)
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try withBytes { (span) throws(StorageError) in try unsafe span.withUnsafeBytes(body) }
    }
}

extension String {
    /// Passes the UTF-8 bytes of the text to `body`, in the form for the store.
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe utf8.span.bytes.withUnsafeBytes(body)
    }
}
