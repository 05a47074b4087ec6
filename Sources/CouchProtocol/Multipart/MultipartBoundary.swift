/// The text between the parts of a multipart message: 1 to 70 characters (RFC 2046, section 5.1.1).
public struct MultipartBoundary: Equatable, Sendable, CustomStringConvertible {
    /// The characters, without the dashes before them.
    public let text: String

    /// - Throws: `bad_request` (400) for a text that is empty, longer than 70 characters, ends with a blank, or has
    ///   characters other than letters, digits, blanks and `'()+_,-./:=?`.
    public init(_ text: String) throws(CouchError) {
        let isAllowed = text.utf8.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || "'()+_,-./:=? ".utf8.contains($0)
        }
        guard 1...70 ~= text.utf8.count, isAllowed, text.utf8.last != ASCII.space else {
            throw .badRequest("The boundary of a multipart message has 1 to 70 letters, digits or '()+_,-./:=?")
        }
        self.text = text
    }

    /// The boundary that a Content-Type header names.
    ///
    /// - Throws: `bad_request` (400) if the header is malformed, is not that of a multipart message, or names no
    ///   boundary that is allowed.
    public init(contentType header: String) throws(CouchError) {
        let type = try HeaderValue(header)
        guard type.value.utf8.starts(with: "multipart/".utf8), let boundary = type["boundary"] else {
            throw .badRequest("The Content-Type of a multipart message must name its boundary.")
        }
        try self.init(boundary)
    }

    /// Makes a boundary of 128 random bits, in 32 hexadecimal digits as CouchDB does. Content that holds it by chance
    /// need not be feared, and with a generator of the system nobody can provide such content.
    public init(using generator: inout some RandomNumberGenerator) {
        let digits = Array("0123456789abcdef".utf8)
        text = String(decoding: (0..<32).map { _ in digits[Int.random(in: 0..<16, using: &generator)] }, as: UTF8.self)
    }

    /// The Content-Type header of a message with this boundary.
    ///
    /// - Parameter subtype: `related` for a document with its attachments, `mixed` for several of them.
    public func contentType(_ subtype: String) -> String { "multipart/\(subtype); boundary=\"\(text)\"" }

    public var description: String { text }
}
