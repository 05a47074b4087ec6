internal import StorageProtocol

extension MemoryState {
    /// Returns what is wrong in the state: the shape of its trees, and contradictions between them.
    func faults() throws(StorageError) -> [StorageProblem] {
        var faults = shapeFaults()
        func fault(_ area: String, _ message: String) { faults.append(StorageProblem(area: area, message: message)) }

        if recordsBySequence.count != records.count {
            fault("sequence index", "The orders by ID and by sequence hold different numbers of records")
        }
        var live: UInt64 = 0
        try records.visit { (_, record) throws(StorageError) in
            if recordsBySequence[record.sequence] !== record {
                fault("sequence index", "'\(record.documentID)' is not in the order by sequence")
            }
            if !record.flags.contains(.deleted) { live += 1 }
            if record.sequence > lastSequence { fault("count", "'\(record.documentID)' is above the last sequence") }
            return true
        }
        if live != liveDocuments { fault("count", "\(live) documents are live, \(liveDocuments) are counted") }
        try revisionBodies.visit { (sequence, body) throws(StorageError) in
            if records.record(body.owner) == nil {
                fault("body", "The body at sequence \(sequence) belongs to no record")
            }
            return true
        }
        if expirationsByTime.count != expirations.count { fault("expiry", "The two orders of expirations differ") }
        try expirationsByTime.visit { (key, id) throws(StorageError) in
            if records.record(id) == nil || expirations[key.id] != key.time {
                fault("expiry", "The expiration of '\(id)' is not that of a record")
            }
            return true
        }
        try indexes.visit { (_, index) throws(StorageError) in
            // While an index is being filled, its rows and documents do not match yet.
            if index.state.isFilling { return true }
            var rows = 0
            try index.documents.visit { (_, document) throws(StorageError) in
                rows += document.keys.count
                return true
            }
            if rows != index.rows.count { fault("index", "Rows and documents of an index disagree") }
            return true
        }
        return faults
    }

    private func shapeFaults() -> [StorageProblem] {
        let areas: [(String, [String])] = [
            ("records", records.faults()), ("sequence index", recordsBySequence.faults()),
            ("body", revisionBodies.faults()),
            ("hidden entries", hiddenEntries.faults()), ("local documents", localDocuments.faults()),
            ("expiry", expirations.faults() + expirationsByTime.faults()), ("info", info.faults()),
            ("index", indexes.faults()), ("blob references", blobReferences.faults()),
        ]
        return areas.flatMap { area, messages in messages.map { StorageProblem(area: area, message: $0) } }
    }
}
