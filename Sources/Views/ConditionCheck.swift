internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// A condition, ready to be checked against canonical texts: those of documents, and those of keys in an index. All
/// comparisons go through it; docs/guide/querying.md describes them.
struct ConditionCheck: Sendable {
    /// A text of at most this length can always be a key: no character has a sort key of more than 64 times its length.
    private static let surelyAKey = Collator.maximumKeyLength / 64

    private let comparison: ViewDefinition.Condition.Comparison
    private let text: [UInt8]
    private let kind: UInt8
    /// Where the literal sorts among the keys of views.
    private let sortKey: [UInt8]
    /// Decides equality: two values are equal if their keys in raw order are, which compare numbers by value and
    /// strings by their bytes.
    private let equalityKey: [UInt8]

    /// - Throws: `badJSON` (493), `tooLarge` (413) if the literal cannot be a key.
    init(_ condition: ViewDefinition.Condition) throws(StorageError) {
        comparison = condition.comparison
        let literal = try condition.literal.canonicalBytes()
        text = literal
        kind = ConditionCheck.kind(literal.first)
        sortKey = try unsafe ConditionCheck.key(literal.span.bytes, .unicode)
        equalityKey = try unsafe ConditionCheck.key(literal.span.bytes, .raw)
    }

    /// Returns whether the condition holds for a value; false if the value cannot be a key.
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
        // Values of the other types have only one canonical text.
        guard kind == ConditionCheck.number || kind == ConditionCheck.array || kind == ConditionCheck.object,
            let key = try? ConditionCheck.key(other, .raw)
        else { return false }
        return key == equalityKey
    }

    /// Returns a negative number, 0 or a positive number if the value sorts before, equal to or after the literal; nil
    /// if the value cannot be a key.
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
