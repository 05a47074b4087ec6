public import StorageProtocol

extension OrderedMapReader {
    public func check(_ report: (StorageProblem) -> Void) throws(StorageError) { try checkContent(report) }

    /// Implements `check` for the content stored under this protocol's keys.
    func checkContent(_ report: (StorageProblem) -> Void) throws(StorageError) {
        func problem(_ area: String, _ message: String) { report(StorageProblem(area: area, message: message)) }
        func count(_ prefix: [UInt8]) throws(StorageError) -> Int {
            var count = 0
            try values(in: .beginning(with: prefix), descending: false) { (_, _) throws(StorageError) in
                count += 1
                return true
            }
            return count
        }
        let counters = try counters()
        var live: UInt64 = 0
        try records(in: .all, descending: false, fields: .metadata) { (record) throws(StorageError) in
            let id = try record.documentID()
            if try value(MapKey.sequence + ByteCoding.bytes(record.sequence)) != Array(id.string.utf8) {
                problem("sequence index", "'\(id)' is not in the order by sequence")
            }
            if record.sequence > counters.lastSequence { problem("count", "'\(id)' is above the last sequence") }
            if !record.flags.contains(.deleted) { live += 1 }
            return true
        }
        if live != counters.liveDocuments { problem("count", "\(live) are live, not \(counters.liveDocuments)") }
        if try count(MapKey.record) != count(MapKey.sequence) {
            problem("sequence index", "A sequence is that of no record")
        }
        try revisionBodies { (sequence, owner, _) throws(StorageError) in
            if try value(MapKey.record(owner)) == nil {
                problem("body", "The body at \(sequence) belongs to no record")
            }
            return true
        }
        try expirations(through: .max) { (time, id) throws(StorageError) in
            let (own, record) = (try expiration(of: id), try value(MapKey.record(id)))
            if record == nil || own != time {
                problem("expiry", "The expiration of '\(id)' is not that of a record")
            }
            return true
        }
        for name in try indexNames() {
            // While an index is being filled, its rows and documents do not match yet.
            guard let state = try indexState(name), !state.isFilling else { continue }
            var rows = 0
            try indexDocuments(name, after: nil) { (document) throws(StorageError) in
                rows += document.rowCount
                return true
            }
            let found = try count(MapKey.rows(of: name))
            if found != rows || UInt64(found) != state.rowCount { problem("index", "Rows and documents disagree") }
        }
    }
}
