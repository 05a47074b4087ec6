internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Writes a stored summary.
struct SummaryWriter {
    var bytes: [UInt8] = []

    /// Appends a number in base 128, the lowest seven bits first.
    mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func append(_ sum: ExactSum) {
        let sign: UInt8 = sum.integers < 0 ? 1 : 0
        bytes.append(sign | (sum.isFractional ? 2 : 0) | (sum.isOverflown ? 4 : 0))
        append(UInt64(truncatingIfNeeded: sum.integers.magnitude))
        append(UInt64(truncatingIfNeeded: sum.integers.magnitude >> 64))
        guard sum.isFractional else { return }
        append(UInt64(sum.doubles.count))
        for value in sum.doubles { append(bits: value.bitPattern) }
    }

    /// Appends a number in its own form: its kind and its bits.
    mutating func append(value number: JSONValue) {
        switch number {
        case .int(let value):
            bytes.append(1)
            append(UInt64(bitPattern: value))
        case .uint(let value):
            bytes.append(2)
            append(value)
        case .double(let value):
            bytes.append(3)
            append(bits: value.bitPattern)
        default: preconditionFailure("only numbers are added up")
        }
    }

    private mutating func append(bits: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }
}

/// Reads a stored summary. Everything returns nil if the bytes end too early or have another form.
enum SummaryReader {
    static func byte(_ bytes: RawSpan, _ offset: inout Int) -> UInt8? {
        guard offset < bytes.byteCount else { return nil }
        defer { offset += 1 }
        return unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    static func number(_ bytes: RawSpan, _ offset: inout Int) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard let byte = byte(bytes, &offset), shift < 63 || byte <= 1 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    /// Reads the length of what follows.
    static func length(_ bytes: RawSpan, _ offset: inout Int) -> Int? {
        guard let length = number(bytes, &offset), length <= UInt64(bytes.byteCount - offset) else { return nil }
        return Int(length)
    }

    static func sum(_ bytes: RawSpan, _ offset: inout Int) -> ExactSum? {
        guard let flags = byte(bytes, &offset), flags < 8, let low = number(bytes, &offset),
            let high = number(bytes, &offset), high < 1 << 63
        else { return nil }
        var integers = Int128(high) << 64 | Int128(low)
        if flags & 1 != 0 { integers = -integers }
        var doubles: [Double] = []
        if flags & 2 != 0 {
            guard let count = number(bytes, &offset), count <= UInt64(bytes.byteCount - offset) / 8 else { return nil }
            for _ in 0..<count {
                guard let value = double(bytes, &offset) else { return nil }
                doubles.append(value)
            }
        }
        return ExactSum(integers: integers, doubles: doubles, isFractional: flags & 2 != 0, isOverflown: flags & 4 != 0)
    }

    static func value(_ bytes: RawSpan, _ offset: inout Int) -> JSONValue? {
        switch byte(bytes, &offset) {
        case 1:
            guard let bits = number(bytes, &offset) else { return Optional.none }
            return .int(Int64(bitPattern: bits))
        case 2:
            guard let value = number(bytes, &offset) else { return Optional.none }
            return .uint(value)
        case 3:
            guard let value = double(bytes, &offset) else { return Optional.none }
            return .double(value)
        default: return Optional.none
        }
    }

    private static func double(_ bytes: RawSpan, _ offset: inout Int) -> Double? {
        guard bytes.byteCount - offset >= 8 else { return nil }
        defer { offset += 8 }
        let bits = UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        return Double(bitPattern: bits)
    }
}
