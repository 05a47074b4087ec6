extension RevisionID {
    /// The text of the ID. Compare IDs, never their strings.
    public var string: String {
        withText { text in unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
    }

    /// The text after the dash.
    public var suffix: String {
        withText { text in
            let start = RevisionID.digitCount(generation) + 1
            return unsafe text.extracting(start..<text.byteCount).withUnsafeBytes {
                unsafe String(decoding: $0, as: UTF8.self)
            }
        }
    }

    /// Passes the text of the ID to `body` as bytes. Nothing is allocated on the heap.
    @inlinable
    public func withText<R, E: Error>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { (buffer) throws(E) -> R in
            let count = unsafe write(to: buffer)
            return try unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
        }
    }

    /// Appends the text of the ID.
    public func append(to bytes: inout [UInt8]) {
        withText { text in unsafe text.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) } }
    }

    /// Writes the text to a buffer of at least 255 bytes.
    ///
    /// - Returns: The length in bytes.
    @usableFromInline
    func write(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = RevisionID.digitCount(generation)
        var rest = generation
        for index in stride(from: count - 1, through: 0, by: -1) {
            unsafe buffer[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        unsafe buffer[count] = UInt8(ascii: "-")
        count += 1
        if let opaque {
            for byte in opaque {
                unsafe buffer[count] = byte
                count += 1
            }
            return count
        }
        unsafe store(high, at: count, of: buffer)
        unsafe store(low, at: count + 16, of: buffer)
        return count + 32
    }

    private func store(_ half: UInt64, at offset: Int, of buffer: UnsafeMutableRawBufferPointer) {
        let left = LowerHex.text(of: UInt32(truncatingIfNeeded: half >> 32))
        let right = LowerHex.text(of: UInt32(truncatingIfNeeded: half))
        unsafe buffer.storeBytes(of: left.bigEndian, toByteOffset: offset, as: UInt64.self)
        unsafe buffer.storeBytes(of: right.bigEndian, toByteOffset: offset + 8, as: UInt64.self)
    }

    /// Returns the number of decimal digits of `number`.
    package static func digitCount(_ number: UInt64) -> Int {
        var count = 1
        var limit: UInt64 = 10
        while number >= limit {
            count += 1
            let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
            if overflow { break }
            limit = next
        }
        return count
    }
}

extension RevisionID {
    /// Why a text is not a revision ID.
    enum Fault: String, Error {
        case length = "The revision ID has more than 255 bytes."
        case dash = "The revision ID has no dash."
        case generation = "The revision ID's generation is not a number from 1 to 9223372036854775807."
        case suffix = "The revision ID's suffix is empty, has control characters or is not UTF-8."
    }

    static func parse(_ text: RawSpan) -> Result<RevisionID, Fault> {
        guard text.byteCount <= maximumLength else { return .failure(.length) }
        var generation: UInt64 = 0
        var offset = 0
        while true {
            guard offset < text.byteCount else { return .failure(.dash) }
            let byte = unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            if byte == UInt8(ascii: "-") { break }
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte, offset < 19 else { return .failure(.generation) }
            // 19 digits stay below 2^64.
            generation = generation &* 10 &+ UInt64(byte & 0x0F)
            // With a leading zero there would be a second way to write the same number.
            guard generation > 0 else { return .failure(.generation) }
            offset += 1
        }
        guard 1...maximumGeneration ~= generation else { return .failure(.generation) }
        let suffix = text.extracting((offset + 1)..<text.byteCount)
        if let digest = digest(of: suffix) {
            return .success(RevisionID(uncheckedGeneration: generation, high: digest.high, low: digest.low))
        }
        guard let opaque = opaqueSuffix(suffix) else { return .failure(.suffix) }
        return .success(RevisionID(uncheckedGeneration: generation, high: 0, low: 0, opaque: opaque))
    }

    /// Returns the value of exactly 32 lower-case hexadecimal digits, or nil for any other text.
    package static func digest(of text: RawSpan) -> (high: UInt64, low: UInt64)? {
        guard text.byteCount == 32, let high = half(of: text, at: 0), let low = half(of: text, at: 16) else {
            return nil
        }
        return (high, low)
    }

    private static func half(of text: RawSpan, at offset: Int) -> UInt64? {
        let left = unsafe text.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let right = unsafe text.unsafeLoadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        guard let left = LowerHex.value(of: UInt64(bigEndian: left)),
            let right = LowerHex.value(of: UInt64(bigEndian: right))
        else { return nil }
        return UInt64(left) << 32 | UInt64(right)
    }

    /// Returns the bytes of a suffix that is not a digest: UTF-8 without control characters. Nil for anything else.
    package static func opaqueSuffix(_ text: RawSpan) -> [UInt8]? {
        let bytes = unsafe text.withUnsafeBytes { unsafe [UInt8]($0) }
        guard let string = String(validating: bytes, as: UTF8.self), !string.isEmpty else { return nil }
        let hasControl = string.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return hasControl ? nil : bytes
    }
}
