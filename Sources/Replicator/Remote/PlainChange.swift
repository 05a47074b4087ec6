internal import SetteeDocumentValues

/// Reads a row of a feed of changes that is written in the usual form, without a parser's intermediate values:
/// `{"seq":…,"id":"…","changes":[{"rev":"…"}]}`, perhaps with `"deleted":true` at the end. The sequence is a number or
/// text, and texts are printable ASCII without escapes. A row in any other form is left to the parser.
///
/// - Complexity: O(bytes of the row).
struct PlainChange {
    private let bytes: [UInt8]
    private var place: Int

    /// Returns the row that begins at `start`, and where it ends; nil if it has another form or has not come as a
    /// whole.
    static func read(_ bytes: [UInt8], from start: Int) -> (row: ChangedDocument, end: Int)? {
        var reader = PlainChange(bytes: bytes, place: start)
        return reader.row().map { ($0, reader.place) }
    }

    private mutating func row() -> ChangedDocument? {
        guard take(#"{"seq":"#), let sequence = sequence(), take(#","id":""#), let id = text(),
            take(#","changes":[{"rev":""#), let winner = text(), take("}")
        else { return nil }
        var leaves = [winner]
        while take(#",{"rev":""#) {
            guard let leaf = text(), take("}") else { return nil }
            leaves.append(leaf)
        }
        guard take("]") else { return nil }
        let isDeleted = take(#","deleted":true"#)
        guard take("}") else { return nil }
        return ChangedDocument(sequence: sequence, id: id, leaves: leaves, isDeleted: isDeleted)
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - place >= count else { return false }
        for offset in 0..<count where unsafe bytes[place + offset] != text.utf8Start[offset] { return false }
        place += count
        return true
    }

    private mutating func sequence() -> JSONValue? {
        if take("\"") { return text().map { .string($0) } }
        let start = place
        var number: Int64 = 0
        // 18 digits fit.
        while place < bytes.count, place - start < 18, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[place] {
            number = number * 10 + Int64(bytes[place] & 0x0F)
            place += 1
        }
        // A leading zero is an error that the parser tells.
        guard place > start, bytes[start] != UInt8(ascii: "0") || place == start + 1 else { return nil }
        return .int(number)
    }

    /// The rest of a text whose first quote was taken.
    private mutating func text() -> String? {
        let start = place
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "\""):
                defer { place += 1 }
                return String(decoding: bytes[start..<place], as: UTF8.self)
            case UInt8(ascii: "\\"), ..<0x20, 0x7F...: return nil
            default: place += 1
            }
        }
        return nil
    }
}
