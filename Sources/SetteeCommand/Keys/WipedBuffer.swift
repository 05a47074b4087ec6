internal import StorageProtocol

/// Memory for a key before it becomes a `StorageKey`.
enum WipedBuffer {
    /// Passes a buffer of this capacity to `body`, and overwrites it afterwards.
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
