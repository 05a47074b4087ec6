/// Where a feed of changes begins.
public enum ChangesSince: Equatable, Sendable {
    /// Behind the last change there is.
    case now
    /// Behind a sequence; 0 for the beginning.
    case sequence(UInt64)

    /// Reads a sequence as `_changes` takes it: a number, `now`, either of them in quotes as JSON strings are, or a
    /// sequence of CouchDB, a number with a dash and more behind it, of which only the number counts.
    ///
    /// - Throws: `bad_request` (400) for anything else.
    public init(_ text: String) throws(CouchError) {
        var bytes = Array(text.utf8)[...]
        if bytes.first == ASCII.quote, bytes.last == ASCII.quote {
            bytes = bytes.dropFirst().dropLast()
        }
        if bytes.elementsEqual("now".utf8) {
            self = .now
            return
        }
        let end = bytes.firstIndex(of: ASCII.dash) ?? bytes.endIndex
        guard let number = ASCII.number(bytes[..<end]) else { throw ChangesSince.malformed }
        self = .sequence(number)
    }

    static var malformed: CouchError { .badRequest("Malformed sequence supplied in 'since' parameter.") }
}
