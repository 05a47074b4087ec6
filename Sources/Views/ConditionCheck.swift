internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// One condition, ready to be checked against canonical texts: those of documents, and those of keys in an index. There
/// is no other comparison: docs/guide/querying.md describes it.
struct ConditionCheck: Sendable {
    /// A shorter text can be a key in any case: no character has a sort key of more than 64 times its length.
    private static let surelyAKey = Collator.maximumKeyLength / 64

    private let comparison: ViewDefinition.Condition.Comparison
    private let text: [UInt8]
    private let kind: UInt8
    /// Where the literal sorts among the keys of views.
    private let sortKey: [UInt8]
    /// What it is equal to: two values are if their keys in raw order are, with numbers by value and strings by their
    /// bytes.
    private let equalityKey: [UInt8]

    /// - Throws: `badJSON` (493), `tooLarge` (413) where the literal cannot be a key.
    init(_ condition: ViewDefinition.Condition) throws(StorageError) {
        comparison = condition.comparison
        let literal = try condition.literal.canonicalBytes()
        text = literal
        kind = ConditionCheck.kind(literal.first)
        sortKey = try unsafe ConditionCheck.key(literal.span.bytes, .unicode)
        equalityKey = try unsafe ConditionCheck.key(literal.span.bytes, .raw)
    }

    /// Whether it holds of a value. Of one that cannot be a key it does not.
    func holds(_ other: RawSpan) -> Bool {
        guard other.byteCount > 0,
            ConditionCheck.kind(unsafe other.unsafeLoad(fromByteOffset: 0, as: UInt8.self)) == kind
        else { return false }
        switch comparison {
        case .equal: return isEqual(other)
        case .unequal: return !isEqual(other) && isKey(other)
        case .less: return order(other).map { $0 < 0 } ?? false
        case .atMost: return isEqual(other) || order(other).map { $0 < 0 } ?? false
        case .greater: return order(other).map { $0 > 0 } ?? false
        case .atLeast: return isEqual(other) || order(other).map { $0 > 0 } ?? false
        }
    }

    private func isEqual(_ other: RawSpan) -> Bool {
        if unsafe compareBytes(other, text.span.bytes) == 0 { return true }
        // Of strings and the rest the canonical text is the only one.
        guard kind == ConditionCheck.number || kind == ConditionCheck.array || kind == ConditionCheck.object,
            let key = try? ConditionCheck.key(other, .raw)
        else { return false }
        return key == equalityKey
    }

    /// Negative, 0 or positive as the value sorts before, with or behind the literal; nil where it has no place.
    private func order(_ other: RawSpan) -> Int? {
        guard let key = try? ConditionCheck.key(other, .unicode) else { return nil }
        return compareBytes(key, sortKey)
    }

    private func isKey(_ other: RawSpan) -> Bool {
        other.byteCount <= ConditionCheck.surelyAKey || (try? ConditionCheck.key(other, .unicode)) != nil
    }

    private static func key(_ text: RawSpan, _ collator: Collator) throws(StorageError) -> [UInt8] {
        var key: [UInt8] = []
        try collator.encode(text, into: &key)
        return key
    }

    private static let number = UInt8(ascii: "0")
    private static let array = UInt8(ascii: "[")
    private static let object = UInt8(ascii: "{")

    /// A character for each type.
    private static func kind(_ first: UInt8?) -> UInt8 {
        switch first ?? 0 {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number
        case UInt8(ascii: "f"): UInt8(ascii: "t")
        case let first: first
        }
    }
}
