internal import HTTPTypes

/// The types that a client takes, from its Accept header (RFC 9110, section 12.5.1). Without one it takes all.
struct AcceptedTypes {
    private struct Range {
        /// `application/json`, `multipart/*` or `*/*`, in lower case.
        var type: Substring
        var isRefused: Bool
    }

    private var ranges: [Range]

    /// - Complexity: O(bytes).
    init(header: String?) {
        ranges = (header ?? "*/*").lowercased().split(separator: ",").compactMap { element in
            let parts = element.split(separator: ";").map { $0.trimmed }
            guard let type = parts.first else { return nil }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
            let isRefused = weight.map { $0.dropFirst(2).allSatisfy { "0.".contains($0) } } ?? false
            return Range(type: type, isRefused: isRefused)
        }
    }

    /// Whether answers of a type are taken. The most exact range decides.
    func take(_ type: String) -> Bool {
        let family = type.prefix { $0 != "/" } + "/*"
        for name in [type[...], Substring(family), "*/*"] {
            if let range = ranges.first(where: { $0.type == name }) { return !range.isRefused }
        }
        return false
    }

    /// Whether the client names a kind of multipart messages, or all of them, before it names JSON; nil if it names
    /// neither.
    func prefersMultipart(_ subtype: String) -> Bool? {
        for range in ranges where !range.isRefused {
            if range.type == "multipart/\(subtype)" || range.type == "multipart/*" { return true }
            if range.type == "application/json" { return false }
        }
        return nil
    }
}

extension Substring {
    /// Without blanks at both ends.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}

extension Exchange {
    var acceptedTypes: AcceptedTypes { AcceptedTypes(header: header(.accept)) }
}
