/// Finds the end of a JSON value that comes in pieces.
struct JSONValueScan {
    /// How many of the value's bytes have been looked at.
    private var seen = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// Whether what came of the value has been dropped, since it is too long.
    private(set) var isSkipped = false

    /// Whether a value has begun and not ended.
    var isInside: Bool { seen > 0 || isSkipped }

    /// The end of the value that begins at `start`; nil if it is not there yet. Then it goes on with the next call,
    /// with more bytes behind the same ones.
    mutating func end(in bytes: [UInt8], from start: Int) -> Int? {
        let text = bytes.span
        var place = start + seen
        while place < text.count {
            let byte = text[place]
            place += 1
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return ended(at: place) }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of what is around a number.
                if depth == 0 { return ended(at: place - 1) }
                depth -= 1
                if depth == 0 { return ended(at: place) }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return ended(at: place - 1) }
            default: break
            }
        }
        seen = place - start
        return nil
    }

    /// Says that what was looked at has been dropped.
    mutating func skip(isAtEnd: Bool) {
        seen = 0
        isSkipped = !isAtEnd
    }

    private mutating func ended(at place: Int) -> Int {
        (seen, depth, isInString, isEscaped) = (0, 0, false, false)
        return place
    }
}
