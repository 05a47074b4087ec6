/// Finds the ends of texts that ICU may combine with what follows them.
///
/// The key of a string is not always a prefix of the keys of longer strings that begin with it: ICU treats some
/// sequences as one (contractions). A Thai vowel that is written before its consonant is ordered after it, and
/// "\u{438}" with a breve is a letter of its own. If a text is cut before such an end, its primary weights are a prefix
/// of those of every longer text.
struct ContractionBeginnings: Sendable {
    /// The contractions of ICU's root collation; nil if ICU does not provide them.
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

    /// Returns how many characters of `text` keep their weights whatever follows.
    func settledLength(of text: [Unicode.Scalar]) -> Int {
        // A contraction may continue after marks that are not part of it.
        var end = text.count
        while end > 0, text[end - 1].properties.canonicalCombiningClass != .notReordered { end -= 1 }
        for length in stride(from: min(longest, end), to: 0, by: -1) {
            if beginnings.contains(Array(text[(end - length)..<end])) { return end - length }
        }
        return end
    }
}
