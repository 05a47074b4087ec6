import Settee
import StorageProtocol

/// What docs/guide/querying.md says about conditions, implemented a second time without index keys.
enum ComparisonOracle {
    enum Comparison: String, CaseIterable, Sendable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
    }

    /// Whether the comparison holds for a value, nil if there is none.
    static func holds(_ value: JSONValue?, _ comparison: Comparison, _ operand: JSONValue) throws -> Bool {
        guard let value, rank(value) == rank(operand) else { return false }
        switch comparison {
        case .equal: return try areEqual(value, operand)
        case .unequal: return try !areEqual(value, operand)
        case .less: return try order(value, operand) < 0
        case .atMost: return try order(value, operand) < 0 || areEqual(value, operand)
        case .greater: return try order(value, operand) > 0
        case .atLeast: return try order(value, operand) > 0 || areEqual(value, operand)
        }
    }

    /// Numbers by value, strings and names by their bytes.
    private static func areEqual(_ a: JSONValue, _ b: JSONValue) throws -> Bool {
        switch (a, b) {
        case (.null, .null): return true
        case (.bool(let a), .bool(let b)): return a == b
        case (.string(let a), .string(let b)): return Array(a.utf8) == Array(b.utf8)
        case (.array(let a), .array(let b)):
            return try a.count == b.count && zip(a, b).allSatisfy { try areEqual($0, $1) }
        case (.object(let a), .object(let b)):
            return try a.count == b.count
                && zip(a, b).allSatisfy { try Array($0.key.utf8) == Array($1.key.utf8) && areEqual($0.value, $1.value) }
        default: return rank(a) == numbers && rank(b) == numbers && compareNumbers(a, b) == 0
        }
    }

    /// As the keys of views are ordered.
    private static func order(_ a: JSONValue, _ b: JSONValue) throws -> Int {
        if rank(a) != rank(b) { return rank(a) - rank(b) }
        switch (a, b) {
        case (.bool(let a), .bool(let b)): return (a ? 1 : 0) - (b ? 1 : 0)
        case (.string(let a), .string(let b)): return try compareTexts(a, b)
        case (.array(let a), .array(let b)):
            for (x, y) in zip(a, b) {
                let order = try order(x, y)
                if order != 0 { return order }
            }
            return a.count - b.count
        case (.object(let a), .object(let b)):
            for (x, y) in zip(a, b) {
                let names = try compareTexts(x.key, y.key)
                if names != 0 { return names }
                let values = try order(x.value, y.value)
                if values != 0 { return values }
            }
            return a.count - b.count
        case (.null, .null): return 0
        default: return compareNumbers(a, b)
        }
    }

    private static let numbers = 2

    private static func rank(_ value: JSONValue) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .int, .uint, .longInteger, .double: numbers
        case .string: 3
        case .array: 4
        case .object: 5
        }
    }

    private static func compareTexts(_ a: String, _ b: String) throws -> Int {
        var keys: [[UInt8]] = []
        for text in [a, b] {
            var key: [UInt8] = []
            let json = try JSONValue.string(text).canonicalBytes()
            try unsafe Collator.unicode.encode(json.span.bytes, into: &key)
            keys.append(key)
        }
        return compareBytes(keys[0], keys[1])
    }

    /// Exactly, however the numbers are represented.
    private static func compareNumbers(_ a: JSONValue, _ b: JSONValue) -> Int {
        if let x = integer(a), let y = integer(b) { return x == y ? 0 : x < y ? -1 : 1 }
        if let x = integer(a), let y = b.doubleValue { return -compare(y, x) }
        if let x = a.doubleValue, let y = integer(b) { return compare(x, y) }
        guard let x = a.doubleValue, let y = b.doubleValue else { return 0 }
        return x == y ? 0 : x < y ? -1 : 1
    }

    private static func integer(_ value: JSONValue) -> Int128? {
        switch value {
        case .int(let number): Int128(number)
        case .uint(let number): Int128(number)
        case .double(let number): number.magnitude < 1e30 ? Int128(exactly: number) : nil
        default: nil
        }
    }

    /// Compares a double that is not a whole number, or larger than all integers, with an integer.
    private static func compare(_ a: Double, _ b: Int128) -> Int {
        if a.magnitude >= 1e30 { return a < 0 ? -1 : 1 }
        return Int128(a.rounded(.down)) < b ? -1 : 1
    }
}
