internal import SetteeSystemLibrary

/// Compares two byte strings as `memcmp` does, with a prefix first. Returns a negative number, zero or a positive
/// number.
public func compareBytes(_ a: RawSpan, _ b: RawSpan) -> Int {
    let shared = min(a.byteCount, b.byteCount)
    if shared > 0 {
        let order = unsafe a.withUnsafeBytes { x in
            unsafe b.withUnsafeBytes { y in
                // Both are non-empty here, so their base addresses exist.
                unsafe memcmp(x.baseAddress!, y.baseAddress!, shared)
            }
        }
        if order != 0 { return Int(order) }
    }
    return a.byteCount - b.byteCount
}

/// Compares two byte arrays as `memcmp` does, with a prefix first.
public func compareBytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
    unsafe compareBytes(a.span.bytes, b.span.bytes)
}
