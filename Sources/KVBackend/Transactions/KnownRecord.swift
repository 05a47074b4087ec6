internal import StorageProtocol

/// What a write transaction remembers of one record, so that an update after a look-up needs no second one.
struct KnownRecord {
    var id: DocumentID
    var handle: UInt64
    var sequence: UInt64

    init(id: DocumentID, handle: UInt64, sequence: UInt64) {
        self.id = id
        self.handle = handle
        self.sequence = sequence
    }

    init(id: DocumentID, _ record: StoredRecord) {
        self.init(id: id, handle: record.handle, sequence: record.sequence)
    }
}
