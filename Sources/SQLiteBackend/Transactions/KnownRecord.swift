internal import StorageProtocol

/// What a write transaction remembers of one record, so that an update after a look-up needs no second one.
struct KnownRecord {
    let id: DocumentID
    /// The number that SQLite has for it.
    let number: Int64
    var flags: DocumentFlags
}
