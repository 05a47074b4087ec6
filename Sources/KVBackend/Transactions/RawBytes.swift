internal import StorageProtocol

extension Array where Element == UInt8 {
    /// `withUnsafeBytes` that rethrows the typed error.
    @inline(__always)
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe span.withUnsafeBytes(body)
    }
}

extension DocumentID {
    /// The ID's bytes as the store takes them.
    @inline(__always)
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try withBytes { (span) throws(StorageError) in try unsafe span.withUnsafeBytes(body) }
    }
}

extension String {
    /// The text's UTF-8 as the store takes it.
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe utf8.span.bytes.withUnsafeBytes(body)
    }
}
