internal import Settee
internal import StorageProtocol

/// Interprets the text of a key. A text that could be both a raw key and a passphrase is refused. Messages say where
/// the text is, but contain none of it.
enum KeyText {
    static let help = """
        The text is a passphrase, or hex: and 64 hexadecimal digits for a raw key. A line feed at the file's end does not count.
        """

    private static let prefix: [UInt8] = Array("hex:".utf8)
    private static let digits = 2 * StorageKey.rawLength
    private static let howToWriteRawKeys = "Write a raw key as hex: and \(digits) hexadecimal digits."

    /// Returns the key in a file, which may be a text or the bytes of a raw key.
    static func key(ofFile content: Span<UInt8>, in place: String) throws(StorageError) -> StorageKey {
        let text = content.extracting(first: lengthOfText(content))
        if content.count == StorageKey.rawLength, !text.isAll({ (0x20..<0x7F).contains($0) }) {
            // A raw key is hardly ever a valid text. A passphrase that is not ASCII may happen to have as many bytes.
            guard !content.isAll({ $0 >= 0x20 && $0 != 0x7F || $0 == 9 || $0 == 10 || $0 == 13 }) || !isUTF8(content)
            else {
                throw StorageError(
                    .badParameter,
                    """
                    \(place) has \(StorageKey.rawLength) bytes, which can be a raw key or a passphrase. \
                    \(howToWriteRawKeys) \
                    For a passphrase end the file with a line feed, or take the one that is there away.
                    """
                )
            }
            return try unsafe StorageKey(bytes: content.bytes)
        }
        return try key(text, in: place)
    }

    /// Returns the key of a text.
    ///
    /// - Throws: `badParameter` (495) if there is none or two are possible, `badEncoding` (490) if it is not UTF-8.
    static func key(_ text: Span<UInt8>, in place: String) throws(StorageError) -> StorageKey {
        guard !text.isEmpty else { throw StorageError(.badParameter, "\(place) has no key: it is empty.") }
        if text.begins(with: prefix) {
            guard text.count == prefix.count + digits, hexadecimal(text, from: prefix.count) else {
                throw StorageError(
                    .badParameter,
                    "\(place) begins with hex:, but \(digits) hexadecimal digits and nothing else must follow."
                )
            }
            return try rawKey(text.extracting(prefix.count...))
        }
        guard !looksRaw(text) else {
            throw StorageError(
                .badParameter,
                """
                \(place) has \(digits) hexadecimal digits, which can be a raw key or a passphrase. \
                \(howToWriteRawKeys) \
                As a passphrase it is not taken.
                """
            )
        }
        guard isUTF8(text) else {
            throw StorageError(
                .badEncoding,
                "\(place) is not UTF-8, as a passphrase is. \(howToWriteRawKeys)"
            )
        }
        guard text.isAll({ $0 != 0 }), !text.begins(with: [0xEF, 0xBB, 0xBF]) else {
            throw StorageError(
                .badParameter,
                "\(place) has a byte order mark or a zero byte, which nobody can type. Write the passphrase without it."
            )
        }
        return try unsafe StorageKey(passphrase: text.bytes)
    }

    /// Returns the length without one line feed, or carriage return and line feed, at the end.
    private static func lengthOfText(_ content: Span<UInt8>) -> Int {
        var count = content.count
        if count > 0, content[count - 1] == UInt8(ascii: "\n") {
            count -= 1
            if count > 0, content[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        }
        return count
    }

    /// Returns whether it has the digits of a raw key, but is not written as one.
    private static func looksRaw(_ text: Span<UInt8>) -> Bool {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
        var (start, end) = (0, text.count)
        while start < end, isSpace(text[start]) { start += 1 }
        while start < end, isSpace(text[end - 1]) { end -= 1 }
        guard end - start >= digits, end - start <= digits + prefix.count else { return false }
        let core = text.extracting(start..<end)
        guard hexadecimal(core, from: core.count - digits) else { return false }
        let before = core.extracting(first: core.count - digits)
        let lowercase = (0..<before.count).map { before[$0] | 0x20 }
        return ["", "0x", "hex:"].contains { Array($0.utf8).map { $0 | 0x20 } == lowercase }
    }

    private static func hexadecimal(_ text: Span<UInt8>, from start: Int) -> Bool {
        text.extracting(start...).isAll { digit($0) != nil }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func rawKey(_ text: Span<UInt8>) throws(StorageError) -> StorageKey {
        try unsafe WipedBuffer.with(StorageKey.rawLength) { (bytes) throws(StorageError) in
            for index in 0..<bytes.count {
                unsafe bytes[index] = (digit(text[2 * index]) ?? 0) << 4 | (digit(text[2 * index + 1]) ?? 0)
            }
            return try unsafe StorageKey(bytes: UnsafeBufferPointer(bytes).span.bytes)
        }
    }

    /// Checks without making a `String`, which could not be wiped.
    private static func isUTF8(_ text: Span<UInt8>) -> Bool {
        unsafe text.withUnsafeBufferPointer { text in
            var parser = Unicode.UTF8.ForwardParser()
            var bytes = unsafe text.makeIterator()
            while true {
                switch unsafe parser.parseScalar(from: &bytes) {
                case .valid: continue
                case .emptyInput: return true
                case .error: return false
                }
            }
        }
    }
}

extension Span<UInt8> {
    fileprivate func isAll(_ condition: (UInt8) -> Bool) -> Bool { indices.allSatisfy { condition(self[$0]) } }

    fileprivate func begins(with bytes: [UInt8]) -> Bool {
        count >= bytes.count && bytes.indices.allSatisfy { self[$0] == bytes[$0] }
    }
}
