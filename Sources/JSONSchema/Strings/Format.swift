/// The formats of draft 4, and `regex`, which its meta-schema uses.
enum Format: String, Sendable {
    case dateTime = "date-time"
    case email
    case hostname
    case ipv4
    case ipv6
    case uri
    case regex

    func matches(_ text: String) -> Bool {
        switch self {
        case .dateTime: DateTimeFormat.matches(text)
        case .email: Format.isEmail(text)
        case .hostname: Format.isHostName(text.utf8[...])
        case .ipv4: Format.isIPv4(text.utf8[...])
        case .ipv6: Format.isIPv6(text.utf8[...])
        case .uri: Format.isURI(text)
        case .regex: Pattern(text) != nil
        }
    }

    /// RFC 5322, 3.4.1, without comments: a dotted or quoted name, `@`, and a host or an address in brackets.
    private static func isEmail(_ text: String) -> Bool {
        guard let mark = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let local = text.utf8[..<mark]
        let domain = text.utf8[text.utf8.index(after: mark)...]
        guard !local.isEmpty, local.count <= 64, isMailDomain(domain) else { return false }
        let quote = UInt8(ascii: "\"")
        if local.first == quote { return local.count > 2 && local.last == quote }
        return local.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty
                && atom.allSatisfy { isLetterOrDigit($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) || $0 >= 0x80 }
        }
    }

    private static func isMailDomain(_ domain: Substring.UTF8View) -> Bool {
        guard domain.first == UInt8(ascii: "["), domain.last == UInt8(ascii: "]") else { return isHostName(domain) }
        let address = domain.dropFirst().dropLast()
        let prefix = "IPv6:".utf8
        return address.starts(with: prefix) ? isIPv6(address.dropFirst(prefix.count)) : isIPv4(address)
    }

    /// RFC 1034, 3.1, with names that begin with digits (RFC 1123).
    private static func isHostName(_ text: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        guard !text.isEmpty, text.count <= 253 else { return false }
        return text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { isLetterOrDigit($0) || $0 == hyphen }
        }
    }

    /// RFC 2673, 3.2: four numbers up to 255, without leading zeros.
    private static func isIPv4(_ text: Substring.UTF8View) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy(isDigit)
                    && (part.count == 1 || part.first != UInt8(ascii: "0"))
                    && part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
            }
    }

    /// RFC 2373, 2.2: eight groups, of which `::` stands for one or more that are zero; the last two may be an IPv4
    /// address.
    private static func isIPv6(_ text: Substring.UTF8View) -> Bool {
        let colon = UInt8(ascii: ":")
        var groups = text.split(separator: colon, omittingEmptySubsequences: false)
        var count = 0
        if let last = groups.last, last.contains(UInt8(ascii: ".")) {
            guard isIPv4(last) else { return false }
            groups.removeLast()
            count = 2
            if groups.isEmpty { return false }
            // The part before it ends with a colon.
            if groups.last?.isEmpty == true { groups.append(text[text.endIndex...]) }
        }
        var gaps = 0
        for (index, group) in groups.enumerated() {
            if group.isEmpty {
                let isEnd = index == 0 || index == groups.count - 1
                // `::` leaves two empty parts at an end, and one in the middle.
                if isEnd {
                    let neighbour = index == 0 ? 1 : index - 1
                    guard groups.indices.contains(neighbour), groups[neighbour].isEmpty else { return false }
                } else {
                    gaps += 1
                }
                continue
            }
            guard group.count <= 4, group.allSatisfy({ URIReference.digit($0) != nil }) else { return false }
            count += 1
        }
        return gaps == 0 ? count == 8 : gaps == 1 && count < 8
    }

    /// RFC 3986: an absolute URI.
    private static func isURI(_ text: String) -> Bool {
        guard let scheme = URIReference(text).scheme?.utf8, let first = scheme.first, isLetterOrDigit(first),
            !isDigit(first),
            scheme.allSatisfy({ isLetterOrDigit($0) || "+-.".utf8.contains($0) })
        else { return false }
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.prefix(2).count == 2, rest.prefix(2).allSatisfy({ URIReference.digit($0) != nil }) else {
                    return false
                }
                continue
            }
            guard isLetterOrDigit(byte) || "-._~:/?#[]@!$&'()*+,;=".utf8.contains(byte) else { return false }
        }
        return true
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
