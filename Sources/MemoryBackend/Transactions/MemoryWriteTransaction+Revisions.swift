internal import StorageProtocol

extension MemoryWriteTransaction {
    func insert(_ draft: borrowing RecordDraft) throws(StorageError) -> RecordHandle {
        try checkWrite()
        try checkSequence(draft.sequence)
        guard case .replace(let body) = draft.body else {
            throw StorageError(.badParameter, "A new record has no old body. Insert it with a body of its own.")
        }
        if state.record(draft.documentID) != nil {
            throw StorageError(.exists, "The document has a record. Update it instead of inserting another.")
        }
        didWrite()
        state.lastHandle += 1
        let key = ByteKey(draft.documentID)
        let handle = RecordHandle(rawValue: state.lastHandle)
        let record = MemoryRecord(handle: handle, id: key.bytes, draft, body: body)
        state.records.set(key, record)
        state.recordsBySequence.set(draft.sequence, record)
        state.idsByHandle.set(handle.rawValue, key)
        state.liveDocuments = draft.liveCount
        state.lastSequence = draft.sequence
        return handle
    }

    func update(_ handle: RecordHandle, _ draft: borrowing RecordDraft) throws(StorageError) {
        try checkWrite()
        try checkSequence(draft.sequence)
        let old = try existing(handle, draft.documentID)
        let body: [UInt8]
        switch draft.body {
        case .unchanged: body = old.body
        case .replace(let new): body = new
        case .replaceKeepingOld(let new, let sequence):
            body = new
            state.revisionBodies.set(sequence, RevisionBody(owner: handle, json: old.body))
        }
        didWrite()
        let record = MemoryRecord(handle: handle, id: old.id, draft, body: body)
        state.records.set(ByteKey(old.id), record)
        state.recordsBySequence.remove(old.sequence)
        state.recordsBySequence.set(draft.sequence, record)
        state.liveDocuments = draft.liveCount
        state.lastSequence = draft.sequence
    }

    func putRevisionBody(_ json: RawSpan, at sequence: UInt64, owner: RecordHandle) throws(StorageError) {
        try checkWrite()
        guard state.idsByHandle[owner.rawValue] != nil else { throw .noRecord }
        didWrite()
        state.revisionBodies.set(sequence, RevisionBody(owner: owner, json: Array(copying: json)))
    }

    func removeRevisionBody(at sequence: UInt64) throws(StorageError) {
        try checkWrite()
        if state.revisionBodies.remove(sequence) != nil { didWrite() }
    }

    func purge(
        _ handle: RecordHandle,
        _ id: DocumentID,
        sequence: UInt64,
        liveCount: UInt64
    ) throws(StorageError) {
        try checkWrite()
        try checkSequence(sequence)
        let old = try existing(handle, id)
        didWrite()
        try setExpiration(nil, of: handle)
        state.records.remove(ByteKey(old.id))
        state.recordsBySequence.remove(old.sequence)
        state.idsByHandle.remove(handle.rawValue)
        state.hiddenEntries.set(sequence, id)
        state.liveDocuments = liveCount
        state.lastSequence = sequence
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

    private func existing(_ handle: RecordHandle, _ id: DocumentID) throws(StorageError) -> MemoryRecord {
        guard let record = state.record(id), record.handle == handle else { throw .noRecord }
        return record
    }

    private func checkSequence(_ sequence: UInt64) throws(StorageError) {
        if sequence <= state.lastSequence {
            throw StorageError(
                .badParameter,
                "Sequence \(sequence) is not above \(state.lastSequence), the last one used. Take the next one."
            )
        }
    }
}

extension StorageError {
    static var noRecord: StorageError {
        StorageError(.notFound, "The store has no such record. Look the document up again: it was removed.")
    }
}
