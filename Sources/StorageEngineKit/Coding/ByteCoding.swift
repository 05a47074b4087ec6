public import StorageProtocol

/// Encodes keys and values of several parts as bytes, for engines that keep their content in ordered maps of bytes.
public enum ByteCoding {
    /// Returns the byte strings one after another, each preceded by its length (8 bytes, big-endian).
    public static func pack(_ parts: [[UInt8]]) -> [UInt8] {
        var packed: [UInt8] = []
        packed.reserveCapacity(parts.reduce(0) { $0 + 8 + $1.count })
        for part in parts {
            packed.append(contentsOf: bytes(UInt64(part.count)))
            packed.append(contentsOf: part)
        }
        return packed
    }

    /// Returns the parts that were passed to `pack`.
    ///
    /// - Parameter count: How many there must be; nil: any number.
    /// - Throws: `corrupt` (591) if the bytes are not a result of `pack`.
    public static func unpack(_ packed: [UInt8], count: Int? = nil) throws(StorageError) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var place = 0
        while place < packed.count {
            guard packed.count - place >= 8 else { throw damage }
            let length = try number(packed[place..<place + 8])
            place += 8
            guard length <= UInt64(packed.count - place) else { throw damage }
            parts.append(Array(packed[place..<place + Int(length)]))
            place += Int(length)
        }
        if let count, parts.count != count { throw damage }
        return parts
    }

    /// Returns a number as 8 bytes that sort as the numbers do (big-endian).
    public static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }

    /// Returns the number that was passed to `bytes(_:)`.
    ///
    /// - Throws: `corrupt` (591) if these are not 8 bytes.
    public static func number(_ bytes: some Collection<UInt8>) throws(StorageError) -> UInt64 {
        guard bytes.count == 8 else { throw damage }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns a part of a key that may have others after it. Such keys are ordered by their parts, the first part
    /// first, and no part is a prefix of a different one. A zero byte becomes 00 FF; the end is 00 00.
    public static func keyPart(_ bytes: some Collection<UInt8>) -> [UInt8] {
        guard bytes.contains(0) else { return Array(bytes) + [0, 0] }
        var part: [UInt8] = []
        part.reserveCapacity(bytes.count + 3)
        for byte in bytes {
            part.append(byte)
            if byte == 0 { part.append(0xFF) }
        }
        return part + [0, 0]
    }

    /// How many bytes `keyPart` makes of these.
    static func keyPartLength(_ bytes: RawSpan) -> Int {
        unsafe bytes.withUnsafeBytes { bytes in unsafe bytes.reduce(bytes.count + 2) { $1 == 0 ? $0 + 1 : $0 } }
    }

    /// Returns a copy of borrowed bytes.
    public static func copy(_ bytes: RawSpan) -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }

    /// - Throws: `corrupt` (591) if the bytes are not UTF-8.
    public static func text(_ bytes: [UInt8]) throws(StorageError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .corrupt("A stored text is not UTF-8") }
        return text
    }

    private static var damage: StorageError { .corrupt("A stored value is damaged") }
}

extension ByteRange {
    /// Returns the same range among the keys that begin with `prefix`, applied to what follows the prefix. `prefix`
    /// must have a byte other than 255.
    public func behind(_ prefix: [UInt8]) -> ByteRange {
        var range = ByteRange.beginning(with: prefix)
        switch lower {
        case .open: break
        case .including(let key): range.lower = .including(prefix + key)
        case .excluding(let key): range.lower = .excluding(prefix + key)
        }
        switch upper {
        case .open: break
        case .including(let key): range.upper = .including(prefix + key)
        case .excluding(let key): range.upper = .excluding(prefix + key)
        }
        return range
    }

    /// All keys that begin with `prefix`.
    public static func beginning(with prefix: [UInt8]) -> ByteRange {
        var end = prefix
        while let last = end.popLast() {
            if last < 255 { return ByteRange(lower: .including(prefix), upper: .excluding(end + [last + 1])) }
        }
        return ByteRange(lower: .including(prefix))
    }
}
