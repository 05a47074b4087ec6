/// Which ends of a text may be taken together with what follows them.
///
/// The key of a string is not the beginning of the keys of all longer strings: ICU takes some texts as one
/// (contractions). A Thai vowel that is written before its consonant is ordered behind it, "\u{438}" with a breve is a
/// letter of its own. Cut before such an end, the primary weights of a text are the beginning of those of every longer
/// one.
struct ContractionBeginnings: Sendable {
    /// Those of ICU's root collation; nil where ICU does not tell them.
    static let shared: ContractionBeginnings? = {
        guard let contractions = ICUStrings.shared.contractions() else { return nil }
        return ContractionBeginnings(contractions)
    }()

    private var beginnings: Set<[Unicode.Scalar]> = []
    private var longest = 0

    init(_ contractions: [[Unicode.Scalar]]) {
        for text in contractions {
            for length in 1..<max(1, text.count) { beginnings.insert(Array(text[..<length])) }
            longest = max(longest, text.count - 1)
        }
    }

    /// How many characters of `text` keep their weights whatever follows.
    func settledLength(of text: [Unicode.Scalar]) -> Int {
        // A contraction may go on behind marks that it has no part in.
        var end = text.count
        while end > 0, text[end - 1].properties.canonicalCombiningClass != .notReordered { end -= 1 }
        for length in stride(from: min(longest, end), to: 0, by: -1) {
            if beginnings.contains(Array(text[(end - length)..<end])) { return end - length }
        }
        return end
    }
}
