internal import Foundation

/// A regular expression of ECMA 262, which may match anywhere in a text.
struct Pattern: Sendable {
    private let expression: NSRegularExpression

    /// Nil if the text is not a regular expression.
    init?(_ text: String) {
        guard let translated = PatternTranslation.translate(text),
            let expression = try? NSRegularExpression(pattern: translated)
        else { return nil }
        self.expression = expression
    }

    /// Returns whether a match is found; nil if the search takes too long and is abandoned, which happens only with
    /// some patterns.
    func matches(_ text: String) -> Bool? {
        var isFound = false
        var reports = 0
        let whole = NSRange(location: 0, length: text.utf16.count)
        unsafe expression.enumerateMatches(in: text, options: .reportProgress, range: whole) { match, _, stop in
            reports += 1
            if match != nil { isFound = true }
            if isFound || reports > Pattern.reportLimit { unsafe stop.pointee = true }
        }
        return reports > Pattern.reportLimit && !isFound ? nil : isFound
    }

    /// There is about one report per ten thousand steps.
    private static let reportLimit = 500

    /// Returns the cost of a search in steps of validation.
    func cost(of text: String) -> Int { 1 + text.utf8.count / 16 }
}
