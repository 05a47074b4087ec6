/// What is certain about the strings in which a regular expression matches.
enum PatternPrefix {
    /// Returns the text that each such string begins with: the characters behind a `^` at the beginning of the pattern
    /// that stand for themselves. Empty where there are none, or where the pattern has alternatives.
    static func prefix(of pattern: String) -> String {
        var scalars = pattern.unicodeScalars[...]
        guard scalars.popFirst() == "^", !scalars.contains("|") else { return "" }
        var prefix: [Unicode.Scalar] = []
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "?", "*", "+", "{":
                // The character before it may be repeated, or not be there.
                _ = prefix.popLast()
                return text(prefix)
            case ".", "^", "$", "(", ")", "[", "]", "}": return text(prefix)
            case "\\":
                guard let next = scalars.popFirst(), isPunctuation(next) else { return text(prefix) }
                prefix.append(next)
            default: prefix.append(scalar)
            }
        }
        return text(prefix)
    }

    /// Whether a backslash makes the character stand for itself. Before letters and digits it has other meanings.
    private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && scalar.value > 0x20 && scalar.value < 0x7F && !scalar.properties.isAlphabetic
            && !("0"..."9").contains(scalar)
    }

    private static func text(_ scalars: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
