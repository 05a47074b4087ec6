internal import StorageProtocol

/// What a write transaction remembers about one record, so that an update after a look-up needs no second one.
struct KnownRecord {
    var id: DocumentID
    var sequence: UInt64
    var flags: DocumentFlags

    init(id: DocumentID, sequence: UInt64, flags: DocumentFlags) {
        self.id = id
        self.sequence = sequence
        self.flags = flags
    }

    init(id: DocumentID, _ record: StoredRecord) {
        self.init(id: id, sequence: record.sequence, flags: record.flags)
    }
}
