/// The target of a request: the segments of the path, and the query.
///
/// ```swift
/// let target = try RequestTarget("/shop/_design%2Fprices?rev=1-a&key=%22a+b%22")
/// target.segments                                // ["shop", "_design/prices"]
/// target.query.first?.value                      // "1-a"
/// RequestTarget(segments: ["shop", "a/b"]).text  // "/shop/a%2Fb"
/// ```
///
/// Segments are cut before they are decoded, so that `%2F` stays inside of one. `+` is a space in queries only (CouchDB
/// takes it for one in paths, too; PouchDB and others escape both). Empty segments are dropped, as CouchDB does: a
/// slash at the end and doubled ones mean nothing. `.` and `..` are names like others: a path here never becomes one of
/// files.
public struct RequestTarget: Hashable, Sendable {
    /// The decoded segments of the path.
    public var segments: [TargetText]
    /// The query, in its order, with repeated names.
    public var query: [QueryItem]

    public init(segments: [TargetText], query: [QueryItem] = []) {
        self.segments = segments
        self.query = query
    }

    /// Reads a request target as it is sent (RFC 9112, section 3.2): a path with a query, a whole HTTP URL, or `*`
    /// (a target without segments).
    ///
    /// - Throws: `too_long` (414) over the limit; `bad_request` (400) for other forms, bad percent escapes, text that
    ///   is not UTF-8, control characters and blanks, a fragment, and too many segments or names.
    /// - Complexity: O(bytes).
    public init(_ text: String, limits: TargetLimits = TargetLimits()) throws(CouchError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= limits.bytes else { throw .targetTooLong }
        guard !bytes.contains(where: { $0 <= ASCII.space || $0 == 0x7F || $0 == UInt8(ascii: "#") }) else {
            throw .badRequest("The URL has blanks, control characters or a fragment.")
        }
        let path = try RequestTarget.path(bytes)
        let mark = path.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
        segments = []
        for segment in path[..<mark].split(separator: UInt8(ascii: "/")) {
            guard segments.count < limits.segments else { throw .badRequest("The URL has too many segments.") }
            segments.append(TargetText(try PercentCoding.decode(segment)))
        }
        query = try RequestTarget.query(path[mark...].dropFirst(), atMost: limits.items)
    }

    /// Reads a query, also that of a form (`application/x-www-form-urlencoded`). Items without a name are dropped.
    ///
    /// - Throws: `bad_request` (400) for bad percent escapes, text that is not UTF-8, and too many names.
    public static func query(_ bytes: ArraySlice<UInt8>, atMost limit: Int) throws(CouchError) -> [QueryItem] {
        var items: [QueryItem] = []
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            guard items.count < limit else { throw .badRequest("The query has too many names.") }
            let equals = item.firstIndex(of: ASCII.equals) ?? item.endIndex
            let name = try PercentCoding.decode(item[..<equals], plusIsSpace: true)
            let value = try PercentCoding.decode(item[equals...].dropFirst(), plusIsSpace: true)
            if !name.isEmpty { items.append(QueryItem(name, value)) }
        }
        return items
    }

    /// Returns what follows the authority.
    private static func path(_ bytes: [UInt8]) throws(CouchError) -> ArraySlice<UInt8> {
        if bytes.first == UInt8(ascii: "/") { return bytes[...] }
        if bytes == [UInt8(ascii: "*")] { return [] }
        for scheme in ["http://", "https://"] {
            let count = scheme.utf8.count
            guard ASCII.isSame(ASCII.lowercase(bytes.prefix(count)), scheme) else { continue }
            let rest = bytes[count...]
            return rest[(rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex)...]
        }
        throw .badRequest("The URL must begin with a slash.")
    }

    /// The target as a client sends it. Reading it gives the same segments and query, but for empty segments and items
    /// without a name.
    public var text: String {
        var text = segments.map { "/" + PercentCoding.encode($0.string) }.joined()
        if text.isEmpty { text = "/" }
        guard !query.isEmpty else { return text }
        let items = query.map { PercentCoding.encode($0.name.string) + "=" + PercentCoding.encode($0.value.string) }
        return text + "?" + items.joined(separator: "&")
    }
}
