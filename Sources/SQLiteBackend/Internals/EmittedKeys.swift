internal import StorageProtocol

/// The sort keys that one document emitted, as its reverse record holds them: for each, its length as a 4-byte
/// big-endian number and its bytes.
enum EmittedKeys {
    static func encode(_ rows: [IndexRow]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(rows.reduce(0) { $0 + 4 + $1.key.count })
        for row in rows {
            unsafe withUnsafeBytes(of: UInt32(truncatingIfNeeded: row.key.count).bigEndian) {
                unsafe bytes.append(contentsOf: $0)
            }
            bytes += row.key
        }
        return bytes
    }

    /// - Throws: `corrupt` (591) where the bytes are cut short.
    static func decode(_ bytes: [UInt8]) throws(StorageError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { throw .corrupt("A stored index record is cut short") }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= length else { throw .corrupt("A stored index record is cut short") }
            keys.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return keys
    }
}
