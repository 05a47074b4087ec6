/// The part of a content that a Range header asks for (RFC 9110, section 14).
public struct ByteRange: Equatable, Sendable {
    /// The offset of the first byte.
    public let first: UInt64
    /// The offset of the last byte.
    public let last: UInt64

    /// Reads a Range header.
    ///
    /// - Parameters:
    ///   - header: `bytes=2-5`, `bytes=2-` or `bytes=-5`.
    ///   - length: The number of bytes in the content.
    /// - Returns: Nil if the whole content is to be sent: for several ranges, other units, what is malformed (which is
    ///   to be ignored), for the last bytes of an empty content, and for `bytes=0-`, as in CouchDB.
    /// - Throws: `requested_range_not_satisfiable` (416) for a range that begins behind the content, or has no bytes,
    ///   as one that ends before its beginning.
    ///   The answer needs `unsatisfied(length:)` in its Content-Range header.
    public static func requested(_ header: String, of length: UInt64) throws(CouchError) -> ByteRange? {
        let bytes = Array(header.utf8)
        let unit = "bytes="
        guard ASCII.isSame(ASCII.lowercase(bytes.prefix(unit.utf8.count)), unit) else { return nil }
        let range = ASCII.trimmed(bytes[unit.utf8.count...])
        guard let dash = range.firstIndex(of: ASCII.dash) else { return nil }
        let from = range[..<dash]
        let to = range[(dash + 1)...]
        if from.isEmpty {
            guard let count = ASCII.number(to) else { return nil }
            guard count > 0 else { throw .rangeNotSatisfiable }
            return length == 0 ? nil : ByteRange(first: length - min(count, length), last: length - 1)
        }
        guard let first = ASCII.number(from), let last = to.isEmpty ? .max : ASCII.number(to) else { return nil }
        if first == 0, to.isEmpty { return nil }
        guard first < length, first <= last else { throw .rangeNotSatisfiable }
        return ByteRange(first: first, last: min(last, length - 1))
    }

    /// The number of bytes, at least 1.
    public var count: UInt64 { last - first + 1 }

    /// The Content-Range header of an answer with this range (206).
    public func contentRange(of length: UInt64) -> String { "bytes \(first)-\(last)/\(length)" }

    /// The Content-Range header of an answer that refuses a range (416).
    public static func unsatisfied(length: UInt64) -> String { "bytes */\(length)" }
}
