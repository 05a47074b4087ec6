internal import SetteeDocumentValues
internal import StorageProtocol

/// `$beginsWith`: the beginning of a string, compared by its bytes.
struct TextPrefix: Sendable, Hashable {
    /// The opening quote and the canonical text. Each character has one canonical text, and none begins with another,
    /// so that a string begins with the prefix exactly if its text does.
    private let text: [UInt8]
    private let last: Unicode.Scalar?
    let string: String

    init(_ prefix: String) {
        var text: [UInt8] = []
        JSONText.append(prefix, to: &text)
        text.removeLast()
        self.text = text
        last = prefix.unicodeScalars.last
        string = prefix
    }

    static func == (a: TextPrefix, b: TextPrefix) -> Bool { a.text == b.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Whether the value is a string that begins with the prefix.
    ///
    /// As in CouchDB, the prefix must not end within a character as people see it: "e" does not begin a string whose
    /// first character is an "e" with a combining accent.
    func begins(_ value: RawSpan) -> Bool {
        guard value.byteCount > text.count,
            unsafe compareBytes(value.extracting(0..<text.count), text.span.bytes) == 0
        else { return false }
        guard let last, let next = TextPrefix.scalar(at: text.count, in: value) else { return true }
        if last.isASCII, next.isASCII { return last != "\r" || next != "\n" }
        var both = String.UnicodeScalarView()
        both.append(last)
        both.append(next)
        return String(both).count == 2
    }

    /// Returns the character at an offset of a string's text; nil at the closing quote.
    private static func scalar(at offset: Int, in text: RawSpan) -> Unicode.Scalar? {
        func byte(_ index: Int) -> UInt8? {
            index < text.byteCount ? unsafe text.unsafeLoad(fromByteOffset: index, as: UInt8.self) : nil
        }
        guard let first = byte(offset), first != UInt8(ascii: "\"") else { return nil }
        if first == UInt8(ascii: "\\") {
            // Only a line feed may belong to the character before it.
            return byte(offset + 1) == UInt8(ascii: "n") ? "\n" : "\0"
        }
        if first < 0x80 { return Unicode.Scalar(first) }
        let end = min(text.byteCount, offset + 4)
        let bytes = unsafe text.extracting(offset..<end).withUnsafeBytes { unsafe Array($0) }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.first
    }
}
