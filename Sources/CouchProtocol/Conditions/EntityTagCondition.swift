/// The tags of an If-Match or If-None-Match header (RFC 9110, sections 13.1.1 and 13.1.2).
///
/// A tag without quotes is taken, as CouchDB does: people write `If-Match: 1-abc`.
public enum EntityTagCondition: Equatable, Sendable {
    /// `*`: whatever is there.
    case any
    /// At least one tag.
    case tags([EntityTag])

    /// - Parameter header: The header's value; several headers are joined with commas.
    /// - Throws: `bad_request` (400) for a header without tags, with quotes that do not end, or other text between
    ///   tags.
    /// - Complexity: O(bytes).
    public init(header: String) throws(CouchError) {
        var scanner = HeaderScanner(Array(header.utf8))
        var tags: [EntityTag] = []
        scanner.skipBlanks()
        if ASCII.isSame(ASCII.lowercase(ASCII.trimmed(Array(header.utf8)[...])), "*") {
            self = .any
            return
        }
        while !scanner.isAtEnd {
            if !scanner.takeIf(ASCII.comma) {
                tags.append(try EntityTagCondition.tag(&scanner))
                scanner.skipBlanks()
                guard scanner.isAtEnd || scanner.next == ASCII.comma else { throw EntityTagCondition.malformed }
            }
            scanner.skipBlanks()
        }
        guard !tags.isEmpty else { throw EntityTagCondition.malformed }
        self = .tags(tags)
    }

    private static func tag(_ scanner: inout HeaderScanner) throws(CouchError) -> EntityTag {
        let isQuoted = scanner.next == ASCII.quote
        if isQuoted { _ = scanner.takeIf(ASCII.quote) }
        var bytes =
            isQuoted
            ? scanner.take { $0 != ASCII.quote }
            : scanner.take { $0 != ASCII.quote && $0 != ASCII.comma && !ASCII.isBlank($0) }
        var isWeak = false
        if isQuoted {
            guard scanner.takeIf(ASCII.quote) else { throw malformed }
        } else if scanner.next == ASCII.quote {
            guard bytes.elementsEqual("W/".utf8), scanner.takeIf(ASCII.quote) else { throw malformed }
            bytes = scanner.take { $0 != ASCII.quote }
            isWeak = true
            guard scanner.takeIf(ASCII.quote) else { throw malformed }
        }
        guard !bytes.contains(where: { ASCII.isControl($0) }) else { throw malformed }
        return EntityTag(String(decoding: bytes, as: UTF8.self), isWeak: isWeak)
    }

    private static var malformed: CouchError { .badRequest("An entity tag is malformed.") }

    /// Whether a tag fulfils If-None-Match's comparison, for which weak tags are like others. For GET and HEAD, the
    /// answer is 304 then.
    public func matchesWeakly(_ current: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { ASCII.isSame($0.text, current.text) }
        }
    }

    /// Whether a tag fulfils If-Match's comparison, for which no weak tag equals another.
    public func matchesStrongly(_ current: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): !current.isWeak && tags.contains(current)
        }
    }
}
