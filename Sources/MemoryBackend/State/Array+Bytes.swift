internal import StorageProtocol

extension [UInt8] {
    init(copying bytes: RawSpan) {
        self = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }

    /// The array's bytes as a buffer, for the time of `body`: what the views of the contract are made from.
    @unsafe
    func withRawBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
        try unsafe withUnsafeBufferPointer { (buffer) throws(StorageError) in
            try unsafe body(UnsafeRawBufferPointer(buffer))
        }
    }
}
