internal import StorageProtocol

extension SQLiteWriteTransaction {
    func update(_ handle: RecordHandle, _ draft: borrowing RecordDraft) throws(StorageError) {
        try checkWrite()
        let sequence = try checkSequence(draft.sequence)
        guard let live = Int64(exactly: draft.liveCount) else { throw .impossibleCount }
        try flush()
        let body: [UInt8]?
        switch draft.body {
        case .unchanged: body = nil
        case .replace(let new): body = new
        case .replaceKeepingOld(let new, let old):
            body = new
            let old = try checked(old)
            try run(Query(.keepBody)) { statement in
                statement.bind(old, 1)
                statement.bind(handle, 2)
            }
            // Nothing was copied where there is no such record.
            if connection.changes != 1 { throw .noRecord }
        }
        let flags = Int64(draft.flags.rawValue)
        let winner = draft.winner
        let tree = draft.tree
        try winner.withText { (winner) throws(StorageError) in
            try unsafe winner.withUnsafeBytes { (winner) throws(StorageError) in
                try unsafe tree.withRawBytes { (tree) throws(StorageError) in
                    let bindAll = { (statement: Statement) in
                        statement.bind(sequence, 1)
                        statement.bind(flags, 2)
                        statement.bind(live, 3)
                        unsafe statement.bindText(winner, 4)
                        unsafe statement.bindBlob(tree, 5)
                        statement.bind(handle, 6)
                    }
                    guard let body else { return try run(Query(.update), bindAll) }
                    try unsafe body.withRawBytes { (body) throws(StorageError) in
                        try run(Query(.updateBody)) { statement in
                            bindAll(statement)
                            unsafe statement.bindText(body, 7)
                        }
                    }
                }
            }
        }
        if connection.changes != 1 { throw .noRecord }
        didTake(draft.sequence, liveCount: draft.liveCount)
    }

    func putRevisionBody(_ json: RawSpan, at sequence: UInt64, owner: RecordHandle) throws(StorageError) {
        try checkWrite()
        try flush()
        let sequence = try checked(sequence)
        guard try rowNow(Query(.exists), { $0.bind(owner, 1) }, { !$0.isNull(0) }) else { throw .noRecord }
        try unsafe json.withUnsafeBytes { (json) throws(StorageError) in
            try run(Query(.putRevisionBody)) { statement in
                statement.bind(sequence, 1)
                statement.bind(owner, 2)
                unsafe statement.bindText(json, 3)
            }
        }
        didWrite()
    }

    func removeRevisionBody(at sequence: UInt64) throws(StorageError) {
        try checkWrite()
        try run(Query(.removeRevisionBody)) { $0.bind(sequence, 1) }
        if connection.changes > 0 { didWrite() }
    }

    func purge(
        _ handle: RecordHandle,
        _ id: DocumentID,
        sequence: UInt64,
        liveCount: UInt64
    ) throws(StorageError) {
        try checkWrite()
        let checkedSequence = try checkSequence(sequence)
        guard let live = Int64(exactly: liveCount) else { throw .impossibleCount }
        try flush()
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            try run(Query(.delete)) { statement in
                statement.bind(handle, 1)
                unsafe statement.bindText(id, 2)
            }
            if connection.changes != 1 { throw .noRecord }
            try run(Query(.deleteExpiration)) { $0.bind(handle, 1) }
            try run(Query(.hide)) { statement in
                statement.bind(checkedSequence, 1)
                unsafe statement.bindText(id, 2)
                statement.bind(live, 3)
            }
        }
        didTake(sequence, liveCount: liveCount)
        didRemoveRecord()
    }

    /// The newest hidden entry may hold the highest sequence and the document count: where it goes, `counters` keeps both.
    func trimHiddenEntries(through sequence: UInt64) throws(StorageError) {
        try checkWrite()
        let present = try counters()
        try flush()
        try run(Query(.trim)) { $0.bind(Int64(clamping: sequence), 1) }
        if connection.changes == 0 { return }
        didWrite()
        if present.lastSequence > sequence { return }
        guard let last = Int64(exactly: present.lastSequence), let live = Int64(exactly: present.liveDocuments) else {
            throw .impossibleCount
        }
        try run(Query(.floor)) { statement in
            statement.bind(last, 1)
            statement.bind(live, 2)
        }
    }

    /// A sequence as SQLite takes it.
    private func checked(_ sequence: UInt64) throws(StorageError) -> Int64 {
        guard let checked = Int64(exactly: sequence) else {
            throw StorageError(.badParameter, "Sequence \(sequence) is beyond all sequences. Pass the revision's own.")
        }
        return checked
    }
}
