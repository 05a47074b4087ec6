internal import StorageProtocol

/// What a write transaction remembers about one record, so that an update after a look-up needs no second one.
struct KnownRecord {
    let id: DocumentID
    /// Its number in SQLite.
    let number: Int64
    var flags: DocumentFlags

    init(id: DocumentID, number: Int64, flags: DocumentFlags) {
        self.id = id
        self.number = number
        self.flags = flags
    }

    /// - Throws: `corrupt` (591) for flags out of range.
    init(id: DocumentID, number: Int64, flags: Int64) throws(StorageError) {
        guard let flags = UInt8(exactly: flags) else {
            throw .corrupt("A stored record has flags out of range")
        }
        self.init(id: id, number: number, flags: DocumentFlags(rawValue: flags))
    }
}
