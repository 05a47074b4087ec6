internal import SetteeDocumentValues
internal import SetteeExpressions
internal import StorageProtocol

/// The IDs that documents of a query may have.
enum IDRanges {
    /// Returns where documents with such IDs are; nil: anywhere.
    static func access(_ ranges: KeyRanges) -> FindPlan.Access? {
        if ranges.isAll { return nil }
        var points: [DocumentID] = []
        var arePoints = true
        for range in ranges.ranges {
            guard let key = KeyRanges.point(range.lower, range.upper) else {
                arePoints = false
                break
            }
            guard let text = ID(key)?.bytes else { continue }
            if let id = try? DocumentID(String(decoding: text, as: UTF8.self)) { points.append(id) }
        }
        if arePoints { return points.isEmpty ? .nothing : .ids(points) }
        guard let first = ranges.ranges.first, let last = ranges.ranges.last, let lower = lower(first.lower),
            let upper = upper(last.upper)
        else { return .nothing }
        return .documents(ByteRange(lower: lower, upper: upper))
    }

    /// Strings are the last in the raw order, so that whatever is no string is below all of them.
    private static func lower(_ bound: KeyRanges.Bound) -> ByteRange.Bound? {
        switch bound {
        case .open: return .open
        case .including(let key):
            guard let id = ID(key) else { return .open }
            return .including(id.bytes)
        case .excluding(let key):
            guard let id = ID(key) else { return .open }
            if id.isWhole { return .excluding(id.bytes) }
            // Nil: no string is above it.
            return CollationKey.end(ofPrefix: id.bytes).map { .including($0) }
        }
    }

    /// Nil: no string is below it.
    private static func upper(_ bound: KeyRanges.Bound) -> ByteRange.Bound? {
        switch bound {
        case .open: return .open
        case .including(let key):
            guard let id = ID(key) else { return nil }
            return id.isWhole
                ? .including(id.bytes) : CollationKey.end(ofPrefix: id.bytes).map { .excluding($0) } ?? .open
        case .excluding(let key):
            guard let id = ID(key) else { return nil }
            return .excluding(id.bytes)
        }
    }
}

/// The bytes of a string, read from its key in raw order: docs/reference/encodings.md describes it.
private struct ID {
    private(set) var bytes: [UInt8] = []
    /// Whether the key ends, and is not only the beginning of keys.
    private(set) var isWhole = false

    /// Nil for the key of another value.
    init?(_ key: [UInt8]) {
        guard key.first == CollationKey.rawString else { return nil }
        var isEscaped = false
        for byte in key.dropFirst() {
            if isEscaped {
                bytes.append(byte &- 1)
                isEscaped = false
            } else if byte == 0 {
                isWhole = true
                return
            } else if byte == 1 {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
    }
}
