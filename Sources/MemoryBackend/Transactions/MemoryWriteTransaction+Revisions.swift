internal import StorageEngineKit
internal import StorageProtocol

extension MemoryWriteTransaction {
    func insert(_ draft: borrowing RecordDraft) throws(StorageError) {
        try checkWrite()
        try checkNewSequence(draft.sequence)
        guard case .replace(let body) = draft.body else { throw .insertWithoutBody }
        if state.records.record(draft.documentID) != nil { throw .recordExists }
        didWrite()
        let key = ByteKey(draft.documentID)
        let record = MemoryRecord(id: key.bytes, draft, body: body)
        state.records.set(key, record)
        state.recordsBySequence.set(draft.sequence, record)
        didTake(draft.sequence, from: nil, to: draft.flags)
    }

    func update(_ draft: borrowing RecordDraft) throws(StorageError) {
        try checkWrite()
        try StorageError.requireNext(draft.sequence, after: state.lastSequence)
        if case .replaceKeepingOld(_, let sequence) = draft.body { try StorageError.requireSequence(sequence) }
        let old = try existing(draft.documentID)
        let body: [UInt8]
        switch draft.body {
        case .unchanged: body = old.body
        case .replace(let new): body = new
        case .replaceKeepingOld(let new, let sequence):
            body = new
            state.revisionBodies.set(sequence, RevisionBody(owner: old.documentID, json: old.body))
        }
        didWrite()
        let record = MemoryRecord(id: old.id, draft, body: body)
        state.records.set(ByteKey(old.id), record)
        state.recordsBySequence.remove(old.sequence)
        state.recordsBySequence.set(draft.sequence, record)
        didTake(draft.sequence, from: old.flags, to: draft.flags)
    }

    func putRevisionBody(_ json: RawSpan, at sequence: UInt64, owner: DocumentID) throws(StorageError) {
        try checkWrite()
        try StorageError.requireSequence(sequence)
        let record = try existing(owner)
        didWrite()
        state.revisionBodies.set(
            sequence,
            RevisionBody(owner: record.documentID, json: Array(copying: json))
        )
    }

    func removeRevisionBody(at sequence: UInt64) throws(StorageError) {
        try checkWrite()
        if state.revisionBodies.remove(sequence) != nil { didWrite() }
    }

    func purge(_ id: DocumentID, sequence: UInt64) throws(StorageError) {
        try checkWrite()
        try StorageError.requireNext(sequence, after: state.lastSequence)
        let old = try existing(id)
        didWrite()
        try setExpiration(nil, of: id)
        state.records.remove(ByteKey(old.id))
        state.recordsBySequence.remove(old.sequence)
        state.hiddenEntries.set(sequence, old.documentID)
        didTake(sequence, from: old.flags, to: nil)
    }

    func trimHiddenEntries(through sequence: UInt64) throws(StorageError) {
        try checkWrite()
        var passed: [UInt64] = []
        let collect = { (entry: UInt64, _: DocumentID) throws(StorageError) -> Bool in
            passed.append(entry)
            return true
        }
        try state.hiddenEntries.visit(isNotAfter: { $0 <= sequence }, collect)
        if !passed.isEmpty { didWrite() }
        for entry in passed { state.hiddenEntries.remove(entry) }
    }

    private func existing(_ id: DocumentID) throws(StorageError) -> MemoryRecord {
        guard let record = state.records.record(id) else { throw .noRecord }
        return record
    }

    /// Records the sequence of a change and its effect on a document: its flags before and after, nil without a record.
    private func didTake(_ sequence: UInt64, from old: DocumentFlags?, to new: DocumentFlags?) {
        state.lastSequence = max(state.lastSequence, sequence)
        if let old, !old.contains(.deleted) { state.liveDocuments -= 1 }
        if let new, !new.contains(.deleted) { state.liveDocuments += 1 }
    }

    /// In a store that is being built, any unused sequence will do.
    func checkNewSequence(_ sequence: UInt64) throws(StorageError) {
        guard engine.isBeingBuilt, 1...UInt64(Int64.max) ~= sequence else {
            return try StorageError.requireNext(sequence, after: state.lastSequence)
        }
        if state.recordsBySequence[sequence] != nil || state.hiddenEntries[sequence] != nil {
            throw .sequenceInUse(sequence)
        }
    }
}
