/// How a body is encoded (RFC 9110, section 8.4.1).
public enum ContentCoding: String, Sendable, CaseIterable {
    case identity
    /// RFC 1952.
    case gzip
    /// The zlib format of RFC 1950, in spite of the name. Bare deflate, which some clients send, is refused.
    case deflate

    /// Reads a Content-Encoding header; nil means that there is none.
    ///
    /// - Throws: `bad_content_type` (415) for other codings, and for more than one.
    public init(header: String?) throws(CouchError) {
        let names = (header ?? "").utf8.split(separator: ASCII.comma).map {
            ASCII.lowercase(ASCII.trimmed(ArraySlice($0)))
        }
        let codings = names.filter { !$0.isEmpty && $0 != "identity" }
        guard let name = codings.first else {
            self = .identity
            return
        }
        guard codings.count == 1, let coding = ContentCoding(rawValue: name == "x-gzip" ? "gzip" : name) else {
            throw .badContentType("Only gzip, deflate and identity content-encodings are supported")
        }
        self = coding
    }

    /// The format of the compressed bytes; nil if they are not compressed.
    public var format: CompressionFormat? {
        switch self {
        case .identity: nil
        case .gzip: .gzip
        case .deflate: .zlib
        }
    }

    /// Whether an Accept-Encoding header lets an answer have this coding (RFC 9110, section 12.5.3).
    ///
    /// Without a header, and where the header does not name a coding, only `identity` is taken as accepted: a client
    /// that does not ask for gzip may not know it.
    ///
    /// - Complexity: O(bytes of the header).
    public func isAccepted(by header: String?) -> Bool {
        var answer = self == .identity
        for element in (header ?? "").utf8.split(separator: ASCII.comma) {
            let parts = element.split(separator: ASCII.semicolon, omittingEmptySubsequences: false).map {
                ASCII.lowercase(ASCII.trimmed(ArraySlice($0)))
            }
            let isNamed = parts[0] == rawValue || (self == .gzip && parts[0] == "x-gzip")
            guard isNamed || parts[0] == "*" else { continue }
            let weights = parts.dropFirst().filter { $0.utf8.starts(with: "q=".utf8) }
            let isZero = weights.contains { $0.utf8.dropFirst(2).allSatisfy { "0.".utf8.contains($0) } }
            if isNamed { return !isZero }
            answer = !isZero
        }
        return answer
    }
}
