/// Finds the end of one JSON value in text that comes in pieces, by its brackets and quotes. Nothing is parsed: text
/// that is not JSON has an end, too.
struct JSONValueEnd {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Moves behind the value, or to the end of the piece.
    ///
    /// - Parameter position: At first, where the value begins or goes on.
    /// - Returns: Whether the value has ended. One without brackets and quotes ends before the next byte that cannot be
    ///   in it.
    /// - Complexity: O(bytes).
    mutating func advance(in bytes: [UInt8], _ position: inout Int) -> Bool {
        while position < bytes.count {
            let byte = bytes[position]
            if isInString {
                position += 1
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return true }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The bracket around this value.
                if depth == 0 { return true }
                depth -= 1
                if depth == 0 {
                    position += 1
                    return true
                }
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09: if depth == 0 { return true }
            default: break
            }
            position += 1
        }
        return false
    }
}
