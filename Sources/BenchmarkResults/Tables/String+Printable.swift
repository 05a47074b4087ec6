extension String {
    /// The text without what could govern a terminal or reorder a line: control characters and those that set the
    /// direction of writing become U+FFFD. Names come from files that others may have made.
    var printable: String {
        guard unicodeScalars.contains(where: { !String.isPrintable($0) }) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars { text.append(String.isPrintable(scalar) ? scalar : "\u{FFFD}") }
        return String(text)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}
