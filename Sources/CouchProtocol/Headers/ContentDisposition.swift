/// The Content-Disposition header of an attachment, which holds its name (RFC 6266, RFC 8187).
public enum ContentDisposition {
    /// Returns the header's value for an attachment.
    ///
    /// Names that quotes can hold are written as CouchDB does, `attachment; filename="NAME"`, with characters beyond
    /// ASCII as UTF-8: CouchDB, Sync Gateway and Couchbase Lite write and read them so. A name with quotes, backslashes
    /// or control characters gets underscores for them there, and a `filename*` with all its bytes.
    public static func attachment(_ name: String) -> String {
        let isPlain = { (byte: UInt8) in
            byte != ASCII.quote && byte != ASCII.backslash && !ASCII.isControl(byte) && byte != ASCII.tab
        }
        if name.utf8.allSatisfy(isPlain) { return "attachment; filename=\"\(name)\"" }
        let shown = String(decoding: name.utf8.map { isPlain($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        return "attachment; filename=\"\(shown)\"; filename*=UTF-8''\(PercentCoding.encode(name))"
    }

    /// Returns the file name in a header's value: that of `filename*` if there is one, else that of `filename`, nil if
    /// there is neither.
    ///
    /// - Throws: `bad_request` (400) for a malformed header, and a `filename*` that is not UTF-8 with percent escapes.
    public static func fileName(_ header: String) throws(CouchError) -> String? {
        let header = try HeaderValue(header)
        guard let extended = header["filename*"] else { return header["filename"] }
        let parts = Array(extended.utf8).split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        guard parts.count == 3, ASCII.isSame(ASCII.lowercase(parts[0]), "utf-8") else {
            throw .badRequest("The file name of an attachment is not written as RFC 8187 wants it.")
        }
        return try PercentCoding.decode(parts[2])
    }
}
