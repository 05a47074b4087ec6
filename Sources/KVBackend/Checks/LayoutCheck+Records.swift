internal import StorageProtocol

extension LayoutCheck {
    /// - Returns: The number of records, and how many of them are live.
    func checkRecords() -> (records: Int, live: UInt64) {
        var records = 0
        var live: UInt64 = 0
        unsafe eachLong(.documents, "records") { (id, value) throws(StorageError) in
            records += 1
            let record = try unsafe StoredRecord(value)
            if !record.flags.contains(.deleted) { live += 1 }
            try unsafe checkRecord(record, id)
        }
        return (records, live)
    }

    private func checkRecord(_ record: StoredRecord, _ id: UnsafeRawBufferPointer) throws(StorageError) {
        _ = try unsafe DocumentID(stored: id.bytes)
        if let text = unsafe record.winnerText { _ = try unsafe RevisionID(stored: text.bytes) }
        attempt("body") { () throws(StorageError) in try unsafe transaction.withJSON(record.body) { _ in } }
        try unsafe FixedKey(record.sequence).withBytes { (key) throws(StorageError) in
            try unsafe transaction.base.withValue(of: key, in: .sequences) { (value) throws(StorageError) in
                guard let value = unsafe value else {
                    return problem("sequence index", unsafe "\(name(id)) is missing in the order by sequence")
                }
                let entry = try unsafe SequenceEntry(value)
                guard unsafe entry.id.equals(id) && entry.flags == record.flags else {
                    return problem("sequence index", unsafe "\(name(id)) and its entry in the order by sequence differ")
                }
            }
        }
    }

    func checkSequences(records: Int) {
        var entries = 0
        unsafe each(.sequences, "sequence index") { (key, value) throws(StorageError) in
            entries += 1
            let sequence = try unsafe number(key)
            highestSequence = max(highestSequence, sequence)
            let entry = try unsafe SequenceEntry(value)
            try unsafe transaction.withRecord(entry.id) { (record) throws(StorageError) in
                if record?.sequence != sequence {
                    problem("sequence index", "Sequence \(sequence) names a record that is not there")
                }
            }
        }
        if entries != records {
            problem("sequence index", "\(records) records have \(entries) entries in the order by sequence")
        }
    }

    func checkBodies() {
        unsafe each(.bodies, "body") { (key, value) throws(StorageError) in
            let sequence = try unsafe number(key)
            let kept = try unsafe KeptBody(value)
            let isOwned = try unsafe transaction.withRecord(kept.owner) { $0 != nil }
            if !isOwned { problem("body", "The body at sequence \(sequence) belongs to no record") }
            try unsafe transaction.withJSON(kept.body) { _ in }
        }
    }
}
