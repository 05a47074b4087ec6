public import StorageProtocol

extension JSONValue {
    /// Reads JSON text of at most 32 MiB.
    ///
    /// - Throws: `badJSON` (493) with the byte and the remedy; `tooLarge` (413).
    public init(parsing text: RawSpan) throws(StorageError) {
        var parser = JSONParser()
        try parser.parse(text)
        // A text that was parsed has a top value.
        self = parser.root.map { parser.value(of: $0) } ?? .null
    }

    /// Reads JSON text of at most 32 MiB.
    ///
    /// - Throws: `badJSON` (493) with the byte and the remedy; `tooLarge` (413).
    public init(parsing text: [UInt8]) throws(StorageError) { try unsafe self.init(parsing: text.span.bytes) }

    /// Reads JSON text of at most 32 MiB.
    ///
    /// - Throws: `badJSON` (493) with the byte and the remedy; `tooLarge` (413).
    public init(parsing text: String) throws(StorageError) { try self.init(parsing: Array(text.utf8)) }

    /// Returns the canonical text, which is what is stored and hashed.
    ///
    /// - Throws: `badJSON` (493) for NaN and infinities, and for nesting deeper than 512.
    public func canonicalBytes() throws(StorageError) -> [UInt8] {
        var writer = JSONValueWriter()
        return try writer.write(self)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The canonical text, or a note about why there is none.
    public var description: String {
        do {
            return String(decoding: try canonicalBytes(), as: UTF8.self)
        } catch {
            return "(no JSON text: a number that is not finite, or too much nesting)"
        }
    }
}

extension JSONObject: CustomStringConvertible {
    /// The canonical text, or a note about why there is none.
    public var description: String { JSONValue.object(self).description }

    /// Returns the canonical text, which is what is stored and hashed.
    ///
    /// - Throws: `badJSON` (493) for NaN and infinities, and for nesting deeper than 512.
    public func canonicalBytes() throws(StorageError) -> [UInt8] { try JSONValue.object(self).canonicalBytes() }
}
