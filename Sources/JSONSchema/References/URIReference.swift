/// A URI, or a relative reference to be resolved against a base (RFC 3986).
struct URIReference {
    var scheme: Substring?
    var authority: Substring?
    var path: Substring
    var query: Substring?
    /// Without the `#`; still percent-encoded.
    var fragment: Substring?

    /// Splits any text, as in appendix B of RFC 3986.
    init(_ text: String) {
        var rest = text[...]
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = rest[rest.utf8.index(after: mark)...]
            rest = rest[..<mark]
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[rest.utf8.index(after: mark)...]
            rest = rest[..<mark]
        }
        let stop = rest.utf8.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        if let stop, stop > rest.startIndex, rest.utf8[stop] == UInt8(ascii: ":") {
            scheme = rest[..<stop]
            rest = rest[rest.utf8.index(after: stop)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// Resolves this reference against `base` (RFC 3986, 5.2.2). The base may itself be a relative reference.
    func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme != nil {
            target.path = URIReference.withoutDots(path)
            return target
        }
        target.scheme = base.scheme
        if authority != nil {
            target.path = URIReference.withoutDots(path)
            return target
        }
        target.authority = base.authority
        if path.isEmpty {
            target.path = base.path
            target.query = query ?? base.query
        } else if path.utf8.first == UInt8(ascii: "/") {
            target.path = URIReference.withoutDots(path)
        } else {
            target.path = URIReference.withoutDots(base.merged(with: path))
        }
        return target
    }

    private func merged(with relative: Substring) -> Substring {
        if authority != nil, path.isEmpty { return "/" + relative }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relative }
        return path[...slash] + relative
    }

    /// Removes `.` and `..` from a path (RFC 3986, 5.2.4).
    private static func withoutDots(_ path: Substring) -> Substring {
        let slash = UInt8(ascii: "/")
        let isAbsolute = path.utf8.first == slash
        var segments = path.utf8.split(separator: slash, omittingEmptySubsequences: false).map(Substring.init)
        if isAbsolute { segments.removeFirst() }
        var kept: [Substring] = []
        for (position, segment) in segments.enumerated() {
            let isLast = position == segments.count - 1
            switch segment {
            case ".":
                if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default:
                kept.append(segment)
            }
        }
        return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
    }

    /// The URI of the whole resource, without a fragment.
    var resource: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        return text
    }

    /// The fragment with percent-encoding decoded; nil if that is not UTF-8.
    var decodedFragment: String? {
        guard let fragment else { return "" }
        var bytes: [UInt8] = []
        var rest = fragment.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(URIReference.digit),
                let low = rest.popFirst().flatMap(URIReference.digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Returns the value of a hexadecimal digit.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
