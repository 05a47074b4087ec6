import SetteeDocumentValues
import StorageProtocol

/// The order of values, found by walking both. Only single strings are left to their keys where ICU orders them.
struct ReferenceOrder {
    private let collator: Collator
    private let isRaw: Bool

    init(collator: Collator) {
        self.collator = collator
        isRaw = (try? collator.version.hasSuffix("raw")) ?? false
    }

    /// -1, 0 or 1.
    func compare(_ a: JSONValue, _ b: JSONValue) -> Int {
        let (first, second) = (rank(of: a), rank(of: b))
        if first != second { return first < second ? -1 : 1 }
        switch (a, b) {
        case (.string(let a), .string(let b)): return compare(a, b)
        case (.array(let a), .array(let b)):
            for (x, y) in zip(a, b) {
                let order = compare(x, y)
                if order != 0 { return order }
            }
            return (a.count - b.count).signum()
        case (.object(let a), .object(let b)):
            for (x, y) in zip(a, b) {
                let names = compare(x.key, y.key)
                if names != 0 { return names }
                let values = compare(x.value, y.value)
                if values != 0 { return values }
            }
            return (a.count - b.count).signum()
        default:
            guard let a = Number(a), let b = Number(b) else { return 0 }
            return a.compare(b)
        }
    }

    private func rank(of value: JSONValue) -> Int {
        switch value {
        case .null: isRaw ? 2 : 0
        case .bool(false): 1
        case .bool(true): isRaw ? 3 : 2
        case .int, .uint, .longInteger, .double: isRaw ? 0 : 3
        case .string: isRaw ? 6 : 4
        case .array: 5
        case .object: isRaw ? 4 : 6
        }
    }

    private func compare(_ a: String, _ b: String) -> Int {
        if isRaw { return compareBytes(Array(a.utf8), Array(b.utf8)).signum() }
        return compareBytes(key(of: a), key(of: b)).signum()
    }

    private func key(of string: String) -> [UInt8] {
        var key: [UInt8] = []
        guard let text = try? JSONValue(string).canonicalBytes(),
            (try? collator.encode(text.span.bytes, into: &key)) != nil
        else { fatalError("a string has no key") }
        return key
    }
}

/// A number as whole part and fraction, both exact; what is beyond 128 bits is told by its double.
private struct Number {
    private let double: Double
    private let whole: Int128?
    private let fraction: Double

    init?(_ value: JSONValue) {
        switch value {
        case .int(let value): (double, whole, fraction) = (Double(value), Int128(value), 0)
        case .uint(let value): (double, whole, fraction) = (Double(value), Int128(value), 0)
        case .longInteger, .double:
            let value = value.doubleValue ?? .nan
            let floor = value.rounded(.down)
            (double, whole, fraction) = (value, Int128(exactly: floor), value - floor)
        default: return nil
        }
    }

    func compare(_ other: Number) -> Int {
        guard let whole, let otherWhole = other.whole else {
            return double < other.double ? -1 : double > other.double ? 1 : 0
        }
        if whole != otherWhole { return whole < otherWhole ? -1 : 1 }
        return fraction < other.fraction ? -1 : fraction > other.fraction ? 1 : 0
    }
}
