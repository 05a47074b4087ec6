/// Follows the outline of one array or object byte by byte: brackets, names, colons and commas, but not the form of
/// numbers, words and escapes. Finds where it ends, or where it cannot be JSON.
struct JSONShape {
    enum Outcome {
        case more
        /// The byte was the last one.
        case complete
        /// The byte is not allowed here.
        case invalid
    }

    private enum Expectation {
        case value
        case valueOrEnd
        case name
        case nameOrEnd
        case colon
        case commaOrEnd
        case string(isName: Bool)
        case escape(isName: Bool)
        /// A number, true, false or null.
        case word
    }

    private var expected = Expectation.value
    /// The open containers, true for objects.
    private var open: [Bool] = []

    mutating func feed(_ byte: UInt8) -> Outcome {
        switch expected {
        case .string(let isName):
            switch byte {
            case UInt8(ascii: "\""): expected = isName ? .colon : .commaOrEnd
            case UInt8(ascii: "\\"): expected = .escape(isName: isName)
            case 0..<0x20: return .invalid
            default: break
            }
            return .more
        case .escape(let isName):
            expected = .string(isName: isName)
            return byte < 0x20 ? .invalid : .more
        case .word:
            if JSONShape.isWord(byte) { return .more }
            expected = .commaOrEnd
            return feed(byte)
        default:
            if JSONElementSplitter.isSpace(byte) { return .more }
            return feedMark(byte)
        }
    }

    private mutating func feedMark(_ byte: UInt8) -> Outcome {
        switch (expected, byte) {
        case (.valueOrEnd, UInt8(ascii: "]")), (.nameOrEnd, UInt8(ascii: "}")): return close()
        case (.commaOrEnd, UInt8(ascii: ",")):
            expected = open.last == true ? .name : .value
            return .more
        case (.commaOrEnd, UInt8(ascii: "]")): return open.last == false ? close() : .invalid
        case (.commaOrEnd, UInt8(ascii: "}")): return open.last == true ? close() : .invalid
        case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")): expected = .string(isName: true)
        case (.colon, UInt8(ascii: ":")): expected = .value
        case (.value, _), (.valueOrEnd, _): return begin(byte)
        default: return .invalid
        }
        return .more
    }

    private mutating func begin(_ byte: UInt8) -> Outcome {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if open.count >= JSONLimits.depth { return .invalid }
            open.append(byte == UInt8(ascii: "{"))
            expected = byte == UInt8(ascii: "{") ? .nameOrEnd : .valueOrEnd
        case UInt8(ascii: "\""): expected = .string(isName: false)
        default:
            guard JSONShape.isWord(byte) else { return .invalid }
            expected = .word
        }
        return .more
    }

    private mutating func close() -> Outcome {
        open.removeLast()
        expected = .commaOrEnd
        return open.isEmpty ? .complete : .more
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
