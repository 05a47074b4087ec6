internal import SetteeSystemLibrary

/// Orders two byte strings as memcmp does, a prefix first: negative, zero or positive.
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

/// Orders two byte arrays as memcmp does, a prefix first.
public func compareBytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
    unsafe compareBytes(a.span.bytes, b.span.bytes)
}
