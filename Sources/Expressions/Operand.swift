internal import SetteeDocumentValues
internal import StorageProtocol

/// A value of a condition that values of documents are compared with, and what that means.
struct Operand: Sendable, Hashable {
    /// The canonical text.
    let text: [UInt8]
    let kind: ValueKind
    let meaning: Meaning
    /// The key in the order.
    let key: [UInt8]
    /// The key that those of equal values are equal to: the same, unless order and equality differ.
    let equalKey: [UInt8]
    /// The number, if it is short.
    let number: Double?
    /// Whether it is a string of printable ASCII characters that need no escape.
    let isPrintable: Bool
    /// The number of elements, if it is an array.
    let elementCount: Int

    /// - Throws: `badJSON` (493) for a number that is not finite, or too much nesting; `tooLarge` (413) for more than
    ///   fits into a collation key; `unexpected` (500) if ICU fails.
    init(_ value: JSONValue, _ meaning: Meaning) throws(StorageError) {
        let text = try value.canonicalBytes()
        var key: [UInt8] = []
        try unsafe Operand.collator(meaning.ordersRaw).encode(text.span.bytes, into: &key)
        var equalKey: [UInt8] = []
        if meaning.equatesRaw == meaning.ordersRaw {
            equalKey = key
        } else {
            try unsafe Operand.collator(meaning.equatesRaw).encode(text.span.bytes, into: &equalKey)
        }
        // The kind of a text that was written just now.
        let kind = unsafe ValueKind(text.span.bytes) ?? .null
        self.text = text
        self.kind = kind
        self.meaning = meaning
        self.key = key
        self.equalKey = equalKey
        number = unsafe kind == .number ? ShortNumber.value(text.span.bytes) : nil
        isPrintable = kind == .string ? unsafe Operand.isPrintable(text.span.bytes) : false
        elementCount = value.arrayValue?.count ?? 0
    }

    /// Equal ones are compared in the same way.
    static func == (a: Operand, b: Operand) -> Bool { a.meaning == b.meaning && a.equalKey == b.equalKey }

    func hash(into hasher: inout Hasher) { hasher.combine(equalKey) }

    static func collator(_ isRaw: Bool) -> Collator { isRaw ? .raw : .unicode }

    /// Whether a string's text, with its quotes, has only printable ASCII characters and no escape.
    ///
    /// The collation ignores no such character, and no two of them are equal in it, so that such strings are equal only
    /// if their bytes are.
    static func isPrintable(_ text: RawSpan) -> Bool {
        unsafe text.withUnsafeBytes { bytes in
            unsafe bytes.allSatisfy { (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") }
        }
    }
}
