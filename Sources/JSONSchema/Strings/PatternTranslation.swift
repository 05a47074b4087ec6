/// Translates a regular expression of ECMA 262 to the syntax of ICU.
///
/// In ICU, `$` also matches before a final line break; `\d`, `\w` and `\b` cover all scripts; `\s` and `.` differ in a
/// few characters; and inside `[ ]`, `[`, `&&` and `--` are operators.
struct PatternTranslation {
    private var rest: Substring.UnicodeScalarView
    private var output = ""

    private static let digit = "0-9"
    private static let word = "A-Za-z0-9_"
    private static let space = "\\t-\\r\\p{Z}\\uFEFF"
    private static let boundary =
        "(?:(?<=[\(word)])(?![\(word)])|(?<![\(word)])(?=[\(word)]))"
    private static let noBoundary =
        "(?:(?<=[\(word)])(?=[\(word)])|(?<![\(word)])(?![\(word)]))"

    private init(_ text: String) { rest = Substring(text).unicodeScalars }

    /// Returns nil if an escape or a class is malformed. ICU finds all other errors.
    static func translate(_ text: String) -> String? {
        var translation = PatternTranslation(text)
        while let scalar = translation.rest.popFirst() {
            guard translation.translate(scalar) else { return nil }
        }
        return translation.output
    }

    private mutating func translate(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\\": return escape()
        case "[": return characterClass()
        case "$": output += "\\z"
        case ".": output += "[^\\n\\r\\u2028\\u2029]"
        case "{": quantifier()
        case "}", "]": output += "\\\(scalar)"
        default: output.unicodeScalars.append(scalar)
        }
        return true
    }

    /// `{3}`, `{3,}` or `{3,5}`; any other `{` is a character.
    private mutating func quantifier() {
        var scalars = rest
        var text = "{"
        var digits = 0
        var commas = 0
        while let next = scalars.popFirst() {
            text.unicodeScalars.append(next)
            switch next {
            case "0"..."9": digits += 1
            case "," where digits > 0 && commas == 0: commas = 1
            case "}" where digits > 0:
                output += text
                rest = scalars
                return
            default:
                output += "\\{"
                return
            }
        }
        output += "\\{"
    }

    // MARK: - Escapes

    private mutating func escape() -> Bool {
        guard let scalar = rest.popFirst() else { return false }
        switch scalar {
        case "d", "D", "w", "W", "s", "S": output += PatternTranslation.set(scalar)
        case "b": output += PatternTranslation.boundary
        case "B": output += PatternTranslation.noBoundary
        case "k", "1"..."9": output += "\\\(scalar)"
        default: return character(scalar)
        }
        return true
    }

    private static func set(_ letter: Unicode.Scalar) -> String {
        switch letter {
        case "d": "[\(digit)]"
        case "D": "[^\(digit)]"
        case "w": "[\(word)]"
        case "W": "[^\(word)]"
        case "s": "[\(space)]"
        default: "[^\(space)]"
        }
    }

    /// Translates an escape for one character, or for the characters of a property, inside and outside of `[ ]`.
    private mutating func character(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "t", "n", "r", "f": output += "\\\(scalar)"
        case "p", "P":
            guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return false }
            output += "\\\(scalar)\(Substring(rest[...end]))"
            rest = rest[rest.index(after: end)...]
        // ICU's `\v` matches any vertical space.
        case "v": output += "\\x0B"
        case "0": output += "\\x00"
        case "x": return hexadecimal("\\x", digits: 2)
        case "u": return rest.first == "{" ? bracedHexadecimal() : hexadecimal("\\u", digits: 4)
        case "c":
            guard let letter = rest.popFirst(), letter.isASCII, letter.properties.isAlphabetic else { return false }
            output += "\\x{" + String(letter.value % 32, radix: 16) + "}"
        case "a"..."z", "A"..."Z", "0"..."9": return false
        default:
            if scalar.isASCII { output += "\\" }
            output.unicodeScalars.append(scalar)
        }
        return true
    }

    private mutating func hexadecimal(_ prefix: String, digits: Int) -> Bool {
        let text = String(Substring(rest.prefix(digits)))
        guard text.utf8.count == digits, text.utf8.allSatisfy({ URIReference.digit($0) != nil }) else { return false }
        rest.removeFirst(digits)
        output += prefix + text
        return true
    }

    private mutating func bracedHexadecimal() -> Bool {
        guard let end = rest.firstIndex(of: "}") else { return false }
        let text = String(Substring(rest[..<end].dropFirst()))
        guard let value = UInt32(text, radix: 16), value <= 0x10FFFF else { return false }
        rest = rest[rest.index(after: end)...]
        output += "\\x{" + String(value, radix: 16) + "}"
        return true
    }

    // MARK: - Classes

    private mutating func characterClass() -> Bool {
        let isNegated = rest.first == "^"
        if isNegated { rest.removeFirst() }
        if rest.first == "]" {
            // An empty class matches nothing; its negation matches anything.
            rest.removeFirst()
            output += isNegated ? "[\\x{0}-\\x{10FFFF}]" : "(?!)"
            return true
        }
        output += isNegated ? "[^" : "["
        // Whether a `-` here would start a range: not at the beginning, and not next to a set.
        var followsCharacter = false
        while let scalar = rest.popFirst() {
            switch scalar {
            case "]":
                output += "]"
                return true
            case "\\":
                let isSet = rest.first.map { "dDwWsSpP".unicodeScalars.contains($0) } ?? false
                guard classEscape() else { return false }
                followsCharacter = !isSet
            case "-":
                output += followsCharacter && rest.first != "]" ? "-" : "\\-"
                followsCharacter.toggle()
            case "[", "&", "^":
                output += "\\\(scalar)"
                followsCharacter = true
            default:
                output.unicodeScalars.append(scalar)
                followsCharacter = true
            }
        }
        return false
    }

    private mutating func classEscape() -> Bool {
        guard let scalar = rest.popFirst() else { return false }
        switch scalar {
        case "d", "D", "w", "W", "s", "S": output += PatternTranslation.set(scalar)
        case "b": output += "\\x08"
        default: return character(scalar)
        }
        return true
    }
}
