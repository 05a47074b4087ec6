internal import StorageProtocol

/// Forwards the calls that its plan admits to another transaction.
class FaultInjectingReadTransaction: ReadTransaction {
    private final let base: any ReadTransaction
    final let faults: FaultPlan
    /// The storage failure that dooms the transaction.
    final private(set) var doom: StorageError?

    init(_ base: any ReadTransaction, _ faults: FaultPlan) {
        self.base = base
        self.faults = faults
    }

    func end() {
        faults.note("end")
        base.end()
    }

    /// Returns false if the call must be lost.
    final func admit(_ name: String) throws(StorageError) -> Bool {
        if let doom { throw doom }
        do throws(StorageError) {
            return try faults.admit(name)
        } catch {
            if error.code.isStorageFailure { doom = error }
            throw error
        }
    }

    func counters() throws(StorageError) -> StoreCounters {
        _ = try admit("counters")
        return try base.counters()
    }

    func record(
        _ id: DocumentID,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        _ = try admit("record")
        return try base.record(id, fields: fields, body)
    }

    func records(
        ids: [DocumentID],
        fields: RecordFields,
        _ body: (_ place: Int, borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("records(ids:)")
        let disorder = faults.disorder
        try base.records(ids: ids, fields: fields) { (place, record) throws(StorageError) in
            guard try body(place, record) else { return false }
            return disorder == .twice ? try body(place, record) : true
        }
    }

    func records(
        in range: ByteRange,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("records(in:)")
        let disorder = faults.disorder
        try base.records(in: disorder.range(range, descending: descending), descending: descending, fields: fields) {
            (record) throws(StorageError) in
            guard try body(record) else { return false }
            return disorder == .twice ? try body(record) : true
        }
    }

    func records(
        sequences range: ClosedRange<UInt64>,
        descending: Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("records(sequences:)")
        let disorder = faults.disorder
        let range = disorder.range(range, descending: descending)
        try base.records(sequences: range, descending: descending, fields: fields) { (record) throws(StorageError) in
            guard try body(record) else { return false }
            return disorder == .twice ? try body(record) : true
        }
    }

    func records(
        in walk: RecordWalk,
        where test: (_ id: RawSpan, _ body: RawSpan) throws(StorageError) -> Bool,
        fields: RecordFields,
        _ body: (borrowing RecordView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("records(in:where:)")
        let disorder = faults.disorder
        var walk = walk
        if case .ids(let range, let descending) = walk {
            walk = .ids(disorder.range(range, descending: descending), descending: descending)
        }
        try base.records(in: walk, where: test, fields: fields) { (record) throws(StorageError) in
            guard try body(record) else { return false }
            return disorder == .twice ? try body(record) : true
        }
    }

    func revisionBody(at sequence: UInt64, _ body: (RawSpan) throws(StorageError) -> Void) throws(StorageError) -> Bool
    {
        _ = try admit("revisionBody")
        return try base.revisionBody(at: sequence, body)
    }

    func revisionBodies(
        after sequence: UInt64?,
        _ body: (_ sequence: UInt64, _ owner: DocumentID, RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("revisionBodies")
        let disorder = faults.disorder
        try base.revisionBodies(after: disorder == .fromTheStart ? nil : sequence) {
            (sequence, owner, json) throws(StorageError) in
            try disorder.hand { () throws(StorageError) in try body(sequence, owner, json) }
        }
    }

    func hiddenEntries(
        sequences range: ClosedRange<UInt64>,
        _ body: (_ sequence: UInt64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("hiddenEntries")
        let disorder = faults.disorder
        try base.hiddenEntries(sequences: disorder.range(range, descending: false)) {
            (sequence, id) throws(StorageError) in
            try disorder.hand { () throws(StorageError) in try body(sequence, id) }
        }
    }

    func localDocument(
        _ id: DocumentID,
        _ body: (_ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        _ = try admit("localDocument")
        return try base.localDocument(id, body)
    }

    func localDocuments(
        after id: DocumentID?,
        _ body: (DocumentID, _ revision: RawSpan, _ json: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("localDocuments")
        let disorder = faults.disorder
        try base.localDocuments(after: disorder == .fromTheStart ? nil : id) {
            (id, revision, json) throws(StorageError) in
            try disorder.hand { () throws(StorageError) in try body(id, revision, json) }
        }
    }

    func expiration(of id: DocumentID) throws(StorageError) -> Int64? {
        _ = try admit("expiration")
        return try base.expiration(of: id)
    }

    func expirations(
        through limit: Int64,
        _ body: (_ time: Int64, DocumentID) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("expirations")
        let disorder = faults.disorder
        try base.expirations(through: limit) { (time, id) throws(StorageError) in
            try disorder.hand { () throws(StorageError) in try body(time, id) }
        }
    }

    func info(_ key: String) throws(StorageError) -> [UInt8]? {
        _ = try admit("info")
        return try base.info(key)
    }

    func allInfo() throws(StorageError) -> [(key: String, value: [UInt8])] {
        _ = try admit("allInfo")
        return try base.allInfo()
    }

    func indexNames() throws(StorageError) -> [String] {
        _ = try admit("indexNames")
        return try base.indexNames()
    }

    func indexState(_ name: String) throws(StorageError) -> IndexState? {
        _ = try admit("indexState")
        return try base.indexState(name)
    }

    func indexRows(
        _ name: String,
        in range: IndexRange,
        descending: Bool,
        _ body: (borrowing IndexRowView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("indexRows")
        let disorder = faults.disorder
        let range = disorder.range(range, descending: descending)
        try base.indexRows(name, in: range, descending: descending) { (row) throws(StorageError) in
            guard try body(row) else { return false }
            return disorder == .twice ? try body(row) : true
        }
    }

    func hasDroppedIndexes() throws(StorageError) -> Bool {
        _ = try admit("hasDroppedIndexes")
        return try base.hasDroppedIndexes()
    }

    func indexedSequence(_ name: String, _ id: DocumentID) throws(StorageError) -> UInt64? {
        _ = try admit("indexedSequence")
        return try base.indexedSequence(name, id)
    }

    func indexDocuments(
        _ name: String,
        after id: DocumentID?,
        _ body: (borrowing IndexDocumentView) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("indexDocuments")
        let disorder = faults.disorder
        try base.indexDocuments(name, after: id) { (document) throws(StorageError) in
            guard try body(document) else { return false }
            return disorder == .twice ? try body(document) : true
        }
    }

    func indexEntry(
        _ name: String,
        key: RawSpan,
        _ body: (_ value: RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) -> Bool {
        _ = try admit("indexEntry")
        return try base.indexEntry(name, key: key, body)
    }

    func indexEntries(
        _ name: String,
        in range: ByteRange,
        descending: Bool,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("indexEntries")
        let disorder = faults.disorder
        let range = disorder.range(range, descending: descending)
        try base.indexEntries(name, in: range, descending: descending) { (key, value) throws(StorageError) in
            try disorder.hand { () throws(StorageError) in try body(key, value) }
        }
    }

    func blobReference(_ digest: [UInt8]) throws(StorageError) -> BlobReference? {
        _ = try admit("blobReference")
        return try base.blobReference(digest)
    }

    func blobReferences(
        after digest: [UInt8]?,
        _ body: (BlobReference) throws(StorageError) -> Bool
    ) throws(StorageError) {
        _ = try admit("blobReferences")
        let disorder = faults.disorder
        try base.blobReferences(after: disorder == .fromTheStart ? nil : digest) { (reference) throws(StorageError) in
            try disorder.hand { () throws(StorageError) in try body(reference) }
        }
    }
}
