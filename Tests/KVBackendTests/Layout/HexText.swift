/// Bytes written as hexadecimal digits, with spaces wherever they help.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Bytes as hexadecimal digits.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }.joined()
}

/// What `fill` writes into memory of `count` bytes.
func written(_ count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { buffer.deallocate() }
    for offset in 0..<count { buffer[offset] = 0xEE }
    fill(buffer)
    return Array(buffer)
}
