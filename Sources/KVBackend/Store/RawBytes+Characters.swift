/// LZ4 and RocksDB take bytes as characters of C. Nil for an empty buffer without an address.
extension UnsafeRawBufferPointer {
    var characters: UnsafePointer<CChar>? { unsafe baseAddress?.assumingMemoryBound(to: CChar.self) }
}

extension UnsafeMutableRawBufferPointer {
    var characters: UnsafeMutablePointer<CChar>? { unsafe baseAddress?.assumingMemoryBound(to: CChar.self) }
}
