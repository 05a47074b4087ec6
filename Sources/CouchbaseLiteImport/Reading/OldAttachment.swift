internal import SetteeDocumentValues
internal import StorageProtocol

/// An attachment as described in an old database, in a body or in the table of 1.0.
struct OldAttachment {
    /// 20 bytes.
    var digest: [UInt8]
    var contentType: String?
    var length: UInt64?
    var revpos: UInt64?
    var isGzip = false
    var encodedLength: UInt64?
    /// The content, if it is in the entry itself.
    var data: [UInt8]?

    /// Reads an entry of `_attachments`; nil if it names no content.
    init?(_ value: JSONValue) {
        guard let entry = value.objectValue else { return nil }
        if let text = entry["data"]?.stringValue { data = Base64.decode(text) }
        let prefix = "sha1-"
        if let text = entry["digest"]?.stringValue, text.utf8.starts(with: prefix.utf8),
            let bytes = Base64.decode(String(text.dropFirst(prefix.count))), bytes.count == 20
        {
            digest = bytes
        } else {
            return nil
        }
        // .NET wrote `type` when it upgraded a 1.0 database.
        contentType = entry["content_type"]?.stringValue ?? entry["type"]?.stringValue
        length = OldAttachment.number(entry["length"])
        revpos = OldAttachment.number(entry["revpos"])
        encodedLength = OldAttachment.number(entry["encoded_length"])
        switch entry["encoding"]?.stringValue {
        case nil: break
        case "gzip": isGzip = true
        default: return nil
        }
    }

    private static func number(_ value: JSONValue?) -> UInt64? {
        value?.intValue.flatMap { UInt64(exactly: $0) }
    }

    /// Returns the attachments of a revision in the table of 1.0.
    ///
    /// - Parameter byIndex: whether to use the index. If false, the whole table is read.
    /// - Returns: the attachments with their names; nil for a row that names no content.
    /// - Throws: `corrupt` (591) if the table or its index is damaged.
    static func rows(
        of rowid: Int64,
        _ source: OldDatabase,
        byIndex: Bool
    ) throws(StorageError) -> [(name: String?, attachment: OldAttachment?)] {
        let others = ["type", "length", "revpos", "encoding", "encoded_length"]
        let columns = others.map { source.schema.column($0, of: "attachments") }.joined(separator: ", ")
        return try rows(
            "SELECT filename, key, \(columns) FROM attachments \(byIndex ? "" : "NOT INDEXED") WHERE sequence = ?1",
            rowid,
            source.connection
        )
    }

    private static func rows(
        _ sql: String,
        _ rowid: Int64,
        _ connection: SourceConnection
    ) throws(StorageError) -> [(name: String?, attachment: OldAttachment?)] {
        var rows: [(name: String?, attachment: OldAttachment?)] = []
        try connection.rows(sql, rowid) { (row) throws(StorageError) in
            rows.append((row.text(0), OldAttachment(row)))
            // No revision of an intact database has this many.
            return rows.count < 100_000
        }
        return rows
    }

    private init?(_ row: SourceRow) {
        guard let key = row.bytes(1), key.count == 20 else { return nil }
        digest = key
        contentType = row.text(2)
        length = row.integer(3).flatMap { UInt64(exactly: $0) }
        revpos = row.integer(4).flatMap { UInt64(exactly: $0) }
        switch row.integer(5) {
        case nil, 0: break
        case 1: isGzip = true
        default: return nil
        }
        encodedLength = row.integer(6).flatMap { UInt64(exactly: $0) }
    }
}
