internal import StorageEngineKit
internal import StorageProtocol

extension KVReadTransaction {
    func counters() throws(StorageError) -> StoreCounters {
        try check()
        return try noting { () throws(StorageError) in try presentNumbers().counters }
    }

    func record(
        _ id: DocumentID,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        return try noting { () throws(StorageError) in
            try unsafe id.withRawBytes { (key) throws(StorageError) in
                if unsafe isWriter && isAboveAll(id: key) { return false }
                return try unsafe withRecord(key) { (record) throws(StorageError) in
                    guard let record else {
                        if isWriter {
                            missing = id
                            try ceiling.didMiss(in: base)
                        }
                        return false
                    }
                    if isWriter { last = KnownRecord(id: id, record) }
                    try unsafe hand(record, key, fields, body)
                    return true
                }
            }
        }
    }

    /// Whether an ID is a key of the store as it is. IDs have no zeros, so the length alone shows that.
    @inline(__always)
    final func isPlain(id: UnsafeRawBufferPointer) -> Bool { id.count <= Store.Transaction.keyLayout.cut }

    /// Whether the write transaction knows that there is no record of this ID, nor of any after it.
    @inline(__always)
    private final func isAboveAll(id: UnsafeRawBufferPointer) -> Bool {
        unsafe isPlain(id: id) && ceiling.isBelow(id)
    }

    /// Passes the record of an ID to `use`, or returns nil if there is none. Valid as long as the bytes that the store
    /// lends.
    @inline(__always)
    final func withRecord<R>(
        _ id: UnsafeRawBufferPointer,
        _ use: (StoredRecord?) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        let shown = { (value: UnsafeRawBufferPointer?) throws(StorageError) -> R in
            guard let value = unsafe value else { return try use(nil) }
            return try use(unsafe StoredRecord(value))
        }
        if unsafe isPlain(id: id) { return try unsafe base.withValue(of: id, in: .documents, shown) }
        return try unsafe LongKeyTable(.documents, in: base).withValue(of: id, shown)
    }

    func records(
        ids: [DocumentID],
        fields: RecordFields,
        _ body: (_ place: Int, borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try noting { () throws(StorageError) in
            let keys = SortedIDs(ids)
            if isWriter, keys.count > 0, try unsafe keys.withKey(0, { unsafe isAboveAll(id: $0) }) { return }
            try unsafe LongKeyTable(.documents, in: base).values(of: keys) {
                (number, key, value) throws(StorageError) in
                guard let value = unsafe value else {
                    if !isWriter { return true }
                    try ceiling.didMiss(in: base)
                    // Those after it are above all, too.
                    return unsafe !isAboveAll(id: key)
                }
                let record = try unsafe StoredRecord(value)
                let place = keys.places[number]
                if isWriter { last = KnownRecord(id: ids[place], record) }
                let goesOn = try unsafe hand(record, key, fields) { (view) throws(StorageError) in
                    try body(place, view)
                }
                if goesOn && isOver { throw .transactionIsOver }
                return goesOn
            }
        }
    }

    func records(
        in range: ByteRange,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try noting { () throws(StorageError) in
            let isPart = range != .all
            try unsafe scan(.documents, in: range, descending: descending, fillsCaches: isPart) {
                (id, value) throws(StorageError) in
                try unsafe hand(StoredRecord(value), id, fields, body)
            }
        }
    }

    func records(
        sequences range: ClosedRange<UInt64>,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try noting { () throws(StorageError) in
            let isPart = range.lowerBound > 1 || range.upperBound < .max
            let follower = RecordFollower(base, fillsCaches: isPart)
            defer { if !isOver { follower.close() } }
            try unsafe scan(.sequences, numbers: range, descending: descending, fillsCaches: isPart) {
                (sequence, value) throws(StorageError) in
                let entry = try unsafe SequenceEntry(value)
                if fields.isEmpty { return try hand(entry, at: sequence, body) }
                if !descending, let stored = try unsafe follower.record(entry.id) {
                    let record = try unsafe StoredRecord(stored)
                    guard record.sequence == sequence else { throw .missingRecord }
                    return try unsafe hand(record, entry.id, fields, body)
                }
                return try unsafe withRecord(entry.id) { (record) throws(StorageError) in
                    guard let record, record.sequence == sequence else {
                        throw .missingRecord
                    }
                    return try unsafe hand(record, entry.id, fields, body)
                }
            }
        }
    }

    func revisionBody(
        at sequence: UInt64,
        _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        try check()
        return try noting { () throws(StorageError) in
            try unsafe FixedKey(sequence).withBytes { (key) throws(StorageError) in
                try unsafe base.withValue(of: key, in: .bodies) { (value) throws(StorageError) in
                    guard let value = unsafe value else { return false }
                    try unsafe withJSON(KeptBody(value).body) { (json) throws(StorageError) in
                        try hand { () throws(StorageError) in try unsafe body(json.bytes) }
                    }
                    return true
                }
            }
        }
    }

    func revisionBodies(
        after sequence: UInt64?,
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        if sequence == .max { return }
        try noting { () throws(StorageError) in
            try unsafe scan(.bodies, numbers: (sequence.map { $0 + 1 } ?? 0)...UInt64.max, descending: false) {
                (sequence, value) throws(StorageError) in
                let kept = try unsafe KeptBody(value)
                let owner = try unsafe DocumentID(stored: kept.owner.bytes)
                return try unsafe withJSON(kept.body) { (json) throws(StorageError) in
                    try hand { () throws(StorageError) in
                        try unsafe body(sequence, owner, json.bytes)
                    }
                }
            }
        }
    }

    func hiddenEntries(
        sequences range: ClosedRange<UInt64>,
        _ body: (_ sequence: UInt64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        try check()
        try noting { () throws(StorageError) in
            try unsafe scan(.hidden, numbers: range, descending: false) { (sequence, value) throws(StorageError) in
                let id = try unsafe DocumentID(stored: value.bytes)
                return try hand { () throws(StorageError) in try body(sequence, id) }
            }
        }
    }
}

/// IDs as keys of `documents`, in their order.
private struct SortedIDs: KeyList {
    private let ids: [DocumentID]
    /// Where each is in the caller's array.
    let places: [Int]

    init(_ ids: [DocumentID]) {
        self.ids = ids
        places = ids.placesInOrder
    }

    var count: Int { places.count }

    @inline(__always)
    func withKey<R>(
        _ number: Int,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        try unsafe ids[places[number]].withRawBytes(body)
    }
}

extension StorageError {
    fileprivate static var missingRecord: StorageError {
        .corrupt("The order by sequence names a record that is not there")
    }
}
