/// A header's value with parameters, as Content-Type and Content-Disposition have it: `text/plain; charset=utf-8`.
///
/// Read generously: blanks may stand around `;` and `=`, and a value without quotes may hold all characters but blanks,
/// `;` and quotes, since CouchDB and others write boundaries so that are no tokens (RFC 9110, section 5.6.6, is
/// stricter).
///
/// - Complexity: Reading is O(bytes).
public struct HeaderValue: Sendable {
    /// What stands before the parameters, in lower case: `multipart/related`.
    public private(set) var value: String
    /// The parameters in their order, with names in lower case, and quotes and backslashes removed from values.
    public private(set) var parameters: [HeaderParameter]

    /// Reads a header's value.
    ///
    /// - Throws: `bad_request` (400) for control characters, a parameter without name or `=`, quotes that do not end,
    ///   and a parameter given twice.
    public init(_ text: String) throws(CouchError) {
        var scanner = HeaderScanner(Array(text.utf8))
        value = ASCII.lowercase(ASCII.trimmed(scanner.take { $0 != ASCII.semicolon }))
        parameters = []
        while scanner.takeIf(ASCII.semicolon) {
            scanner.skipBlanks()
            // A semicolon at the end, or two of them, are common and harmless.
            if scanner.isAtEnd || scanner.next == ASCII.semicolon { continue }
            let name = ASCII.lowercase(scanner.take { ASCII.isToken($0) })
            scanner.skipBlanks()
            guard !name.isEmpty, scanner.takeIf(ASCII.equals) else { throw HeaderValue.malformed }
            scanner.skipBlanks()
            let value = try scanner.takeValue { !ASCII.isBlank($0) && $0 != ASCII.semicolon && $0 != ASCII.quote }
            scanner.skipBlanks()
            guard scanner.isAtEnd || scanner.next == ASCII.semicolon, self[name] == nil else {
                throw HeaderValue.malformed
            }
            parameters.append(HeaderParameter(name: name, value: value))
        }
        guard !text.utf8.contains(where: { ASCII.isControl($0) }) else { throw HeaderValue.malformed }
    }

    /// The value of a parameter; nil if there is none. `name` must be in lower case.
    public subscript(name: String) -> String? { parameters.first { ASCII.isSame($0.name, name) }?.value }

    private static var malformed: CouchError { .badRequest("A header is malformed.") }
}
