internal import Foundation

/// A regular expression of ECMA 262, which is looked for anywhere in a text.
struct Pattern: Sendable {
    private let expression: NSRegularExpression

    /// Nil where the text is no regular expression.
    init?(_ text: String) {
        guard let translated = PatternTranslation.translate(text),
            let expression = try? NSRegularExpression(pattern: translated)
        else { return nil }
        self.expression = expression
    }

    /// Whether it is found; nil where the search takes so long, which only some patterns can make it, that it is given
    /// up.
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

    /// A report comes every ten thousand steps or so.
    private static let reportLimit = 500

    /// What a search counts beside the steps of judging.
    func cost(of text: String) -> Int { 1 + text.utf8.count / 16 }
}
