/// Reads every byte of what a workload reads, as the plain C programs do: the sum of its words of 64 bits, and of the
/// bytes behind the last whole one.
func touch(_ bytes: RawSpan) -> UInt64 {
    unsafe bytes.withUnsafeBytes { buffer in
        var sum: UInt64 = 0
        let whole = buffer.count & ~7
        var offset = 0
        while offset < whole {
            sum &+= unsafe buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < buffer.count {
            sum &+= UInt64(unsafe buffer[offset])
            offset += 1
        }
        return sum
    }
}

func touch(_ bytes: [UInt8]) -> UInt64 { touch(unsafe bytes.span.bytes) }
