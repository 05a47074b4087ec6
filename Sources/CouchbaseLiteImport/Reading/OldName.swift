internal import StorageProtocol

/// Reads the ID and expiry time of a document by its number.
enum OldName {
    /// - Throws: `corrupt` (591) if the row cannot be read.
    static func of(
        _ document: Int64,
        _ source: OldDatabase
    ) throws(StorageError) -> (id: String?, expiry: Int64?) {
        let expiry = source.schema.column("expiry_timestamp", of: "docs")
        let sql = "SELECT docid, CAST(\(expiry) AS INTEGER) FROM docs NOT INDEXED WHERE rowid = ?1"
        var found: (id: String?, expiry: Int64?) = (nil, nil)
        var failure: StorageError?
        do throws(StorageError) {
            try source.connection.rows(sql, document) { (row) throws(StorageError) in
                found = (row.text(0), row.integer(1))
                return false
            }
        } catch {
            guard error.isDamage else { throw error }
            failure = error
        }
        if found.id != nil { return found }
        // The index of the IDs also contains them.
        do throws(StorageError) {
            try source.connection.rows(
                "SELECT docid FROM docs INDEXED BY sqlite_autoindex_docs_1 WHERE docid > '' AND rowid = ?1",
                document
            ) { (row) throws(StorageError) in
                found.id = row.text(0)
                return false
            }
        } catch {
            guard error.isDamage else { throw error }
        }
        if found.id == nil, let failure { throw failure }
        return found
    }
}
