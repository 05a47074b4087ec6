internal import StorageProtocol

/// Forwards the calls that its plan admits to another write transaction.
final class FaultInjectingWriteTransaction: FaultInjectingReadTransaction, WriteTransaction {
    private let writer: any WriteTransaction

    init(_ base: any WriteTransaction, _ faults: FaultPlan) {
        self.writer = base
        super.init(base, faults)
    }

    func commit() throws(StorageError) {
        do throws(StorageError) {
            _ = try admit("commit")
        } catch {
            writer.rollback()
            throw error
        }
        try writer.commit()
    }

    func rollback() {
        faults.note("rollback")
        writer.rollback()
    }

    override func end() { writer.rollback() }

    func insert(_ draft: borrowing RecordDraft) throws(StorageError) {
        if try admit("insert") { try writer.insert(draft) }
    }

    func update(_ draft: borrowing RecordDraft) throws(StorageError) {
        if try admit("update") { try writer.update(draft) }
    }

    func putRevisionBody(_ json: RawSpan, at sequence: UInt64, owner: DocumentID) throws(StorageError) {
        if try admit("putRevisionBody") { try writer.putRevisionBody(json, at: sequence, owner: owner) }
    }

    func removeRevisionBody(at sequence: UInt64) throws(StorageError) {
        if try admit("removeRevisionBody") { try writer.removeRevisionBody(at: sequence) }
    }

    func purge(_ id: DocumentID, sequence: UInt64) throws(StorageError) {
        if try admit("purge") { try writer.purge(id, sequence: sequence) }
    }

    func apply(_ changes: [RecordChange]) throws(StorageError) -> [StorageError?] {
        guard try admit("apply") else { return changes.map { _ in nil } }
        return try writer.apply(changes)
    }

    func raiseLastSequence(to sequence: UInt64) throws(StorageError) {
        if try admit("raiseLastSequence") { try writer.raiseLastSequence(to: sequence) }
    }

    func hide(_ id: DocumentID, at sequence: UInt64) throws(StorageError) {
        if try admit("hide") { try writer.hide(id, at: sequence) }
    }

    func restore(_ counters: StoreCounters) throws(StorageError) {
        if try admit("restore") { try writer.restore(counters) }
    }

    func trimHiddenEntries(through sequence: UInt64) throws(StorageError) {
        if try admit("trimHiddenEntries") { try writer.trimHiddenEntries(through: sequence) }
    }

    func putLocalDocument(_ id: DocumentID, revision: RawSpan, json: RawSpan) throws(StorageError) {
        if try admit("putLocalDocument") { try writer.putLocalDocument(id, revision: revision, json: json) }
    }

    func removeLocalDocument(_ id: DocumentID) throws(StorageError) {
        if try admit("removeLocalDocument") { try writer.removeLocalDocument(id) }
    }

    func setExpiration(_ time: Int64?, of id: DocumentID) throws(StorageError) {
        if try admit("setExpiration") { try writer.setExpiration(time, of: id) }
    }

    func setInfo(_ value: [UInt8]?, for key: String) throws(StorageError) {
        if try admit("setInfo") { try writer.setInfo(value, for: key) }
    }

    func setIndexState(_ name: String, _ state: IndexState) throws(StorageError) {
        if try admit("setIndexState") { try writer.setIndexState(name, state) }
    }

    func replaceIndexRows(
        _ name: String,
        by batches: [IndexBatch],
        areNew: Bool,
        changes: inout RowChanges
    ) throws(StorageError) {
        guard try admit("replaceIndexRows") else { return }
        try writer.replaceIndexRows(name, by: batches, areNew: areNew, changes: &changes)
    }

    func fillIndex(
        _ name: String,
        from load: IndexLoad,
        rows: Range<Int>,
        documents: Range<Int>
    ) throws(StorageError) {
        guard try admit("fillIndex") else { return }
        try writer.fillIndex(name, from: load, rows: rows, documents: documents)
    }

    func putIndexEntries(_ name: String, _ entries: IndexEntries) throws(StorageError) {
        if try admit("putIndexEntries") { try writer.putIndexEntries(name, entries) }
    }

    func removeIndexEntries(_ name: String, in range: ByteRange) throws(StorageError) {
        if try admit("removeIndexEntries") { try writer.removeIndexEntries(name, in: range) }
    }

    func removeIndexEntries(
        _ name: String,
        in range: ByteRange,
        for limit: Duration
    ) throws(StorageError) -> Bool {
        _ = try admit("removeIndexEntries(for:)")
        return try writer.removeIndexEntries(name, in: range, for: limit)
    }

    func removeAllIndexEntries(_ name: String) throws(StorageError) {
        if try admit("removeAllIndexEntries") { try writer.removeAllIndexEntries(name) }
    }

    func dropIndex(_ name: String) throws(StorageError) {
        if try admit("dropIndex") { try writer.dropIndex(name) }
    }

    func reclaimDroppedIndexes(for limit: Duration) throws(StorageError) -> Bool {
        _ = try admit("reclaimDroppedIndexes")
        return try writer.reclaimDroppedIndexes(for: limit)
    }

    func setBlobReference(_ reference: BlobReference) throws(StorageError) {
        if try admit("setBlobReference") { try writer.setBlobReference(reference) }
    }

    func removeBlobReference(_ digest: [UInt8]) throws(StorageError) {
        if try admit("removeBlobReference") { try writer.removeBlobReference(digest) }
    }
}
