internal import StorageProtocol

/// Memory for a key on its way into a `StorageKey`.
enum WipedBuffer {
    /// Lends so many bytes, which are overwritten afterwards.
    static func with<R>(
        _ capacity: Int,
        _ body: (UnsafeMutableBufferPointer<UInt8>) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
        unsafe buffer.initialize(repeating: 0)
        defer {
            unsafe SecretBytes.wipe(UnsafeMutableRawBufferPointer(buffer))
            unsafe buffer.deallocate()
        }
        return try unsafe body(buffer)
    }
}
