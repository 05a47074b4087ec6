internal import StorageProtocol

extension [UInt8] {
    init(copying bytes: RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }

    /// Passes the array's bytes as a buffer to `body`, to make the contract's views from.
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe withUnsafeBufferPointer { (buffer) throws(StorageError) in
            try unsafe body(UnsafeRawBufferPointer(buffer))
        }
    }
}
