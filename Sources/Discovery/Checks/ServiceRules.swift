/// What the parts of an advertised service may be, here and elsewhere.
enum ServiceRules {
    /// A label of DNS has at most 63 bytes.
    static let nameBytes = 63
    static let hostBytes = 253
    static let pathBytes = 200
    static let uuidBytes = 64

    /// 1 to 63 bytes without control characters, line breaks, and characters that change the direction of writing or
    /// cannot be seen.
    static func isName(_ text: String) -> Bool {
        1...nameBytes ~= text.utf8.count && text.unicodeScalars.allSatisfy(isVisible)
    }

    /// Letters, digits, hyphens and underscores between dots.
    static func isHost(_ text: String) -> Bool {
        1...hostBytes ~= text.utf8.count
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                1...nameBytes ~= label.count && label.allSatisfy { isAlphanumeric($0) || "-_".utf8.contains($0) }
            }
    }

    /// The path of a URL that begins with a slash: no query, no fragment, no segments that lead elsewhere.
    static func isPath(_ text: String) -> Bool {
        guard 1...pathBytes ~= text.utf8.count, text.utf8.first == UInt8(ascii: "/") else { return false }
        let segments = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // The last one is empty where the path ends with a slash.
        return segments.dropLast().allSatisfy(isSegment) && segments.last.map { $0.isEmpty || isSegment($0) } ?? false
    }

    static func isUUID(_ text: String) -> Bool {
        1...uuidBytes ~= text.utf8.count && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isSegment(_ segment: Substring.UTF8View.SubSequence) -> Bool {
        guard !segment.isEmpty, !segment.allSatisfy({ $0 == UInt8(ascii: ".") }) else { return false }
        return segment.allSatisfy { isAlphanumeric($0) || "-._~!$&'()*+,;=:@".utf8.contains($0) }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        // The joiners, which emoji and some scripts need.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }
}
