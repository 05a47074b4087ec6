internal import StorageProtocol

/// One condition, ready to be checked against canonical texts.
struct ConditionCheck: Sendable {
    private let comparison: ViewDefinition.Condition.Comparison
    private let text: [UInt8]
    private let kind: UInt8
    /// Where the literal sorts.
    private let sortKey: [UInt8]

    init(_ condition: ViewDefinition.Condition) throws(StorageError) {
        comparison = condition.comparison
        text = try condition.literal.canonicalBytes()
        kind = ConditionCheck.kind(text)
        var key: [UInt8] = []
        let bytes = text
        try unsafe Collator.unicode.encode(bytes.span.bytes, into: &key)
        sortKey = key
    }

    /// Whether it holds of a value. Numbers are compared exactly, strings for equality by their bytes and for order as the
    /// keys of views are.
    func holds(_ other: RawSpan) -> Bool { holds(unsafe other.withUnsafeBytes { unsafe Array($0) }) }

    func holds(_ other: [UInt8]) -> Bool {
        guard ConditionCheck.kind(other) == kind else { return false }
        switch comparison {
        case .equal: return isEqual(other)
        case .unequal: return !isEqual(other)
        case .less: return order(other).map { $0 < 0 } ?? false
        case .atMost: return isEqual(other) || order(other).map { $0 < 0 } ?? false
        case .greater: return order(other).map { $0 > 0 } ?? false
        case .atLeast: return isEqual(other) || order(other).map { $0 > 0 } ?? false
        }
    }

    private func isEqual(_ other: [UInt8]) -> Bool {
        if other == text { return true }
        return kind == ConditionCheck.number && order(other) == 0
    }

    /// Negative, 0 or positive as the value sorts before, with or behind the literal; nil where it has no place.
    private func order(_ other: [UInt8]) -> Int? {
        var key: [UInt8] = []
        guard (try? unsafe Collator.unicode.encode(other.span.bytes, into: &key)) != nil else { return nil }
        if key == sortKey { return 0 }
        return key.lexicographicallyPrecedes(sortKey) ? -1 : 1
    }

    private static let number = UInt8(ascii: "0")

    /// A character for each type.
    private static func kind(_ text: [UInt8]) -> UInt8 {
        switch text.first ?? 0 {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number
        case UInt8(ascii: "f"): UInt8(ascii: "t")
        case let first: first
        }
    }
}
