internal import StorageProtocol

extension SQLiteWriteTransaction {
    func update(_ draft: borrowing RecordDraft) throws(StorageError) {
        try checkWrite()
        let sequence = try checkSequence(draft.sequence)
        var body: [UInt8]?
        var oldSequence: Int64?
        switch draft.body {
        case .unchanged: break
        case .replace(let new): body = new
        case .replaceKeepingOld(let new, let old):
            body = new
            oldSequence = try checked(old)
        }
        let old = try existing(draft.documentID)
        try flush()
        let live = try liveCount(from: old.flags, to: draft.flags)
        if let oldSequence {
            try run(Query(.keepBody)) { statement in
                statement.bind(oldSequence, 1)
                statement.bind(old.number, 2)
            }
            try expectOneRow()
        }
        let flags = Int64(draft.flags.rawValue)
        let winner = draft.winner
        let tree = draft.tree
        try unsafe tree.withRawBytes { (tree) throws(StorageError) in
            try unsafe StoredWinner.of(winner, in: tree) { (winner) throws(StorageError) in
                let bindAll = { (statement: Statement) in
                    statement.bind(sequence, 1)
                    statement.bind(flags, 2)
                    statement.bind(live, 3)
                    winner.bind(to: statement, 4)
                    unsafe statement.bindBlob(tree, 5)
                    statement.bind(old.number, 6)
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
        try expectOneRow()
        latest?.flags = draft.flags
        didTake(draft.sequence, live: live)
    }

    func putRevisionBody(_ json: RawSpan, at sequence: UInt64, owner: DocumentID) throws(StorageError) {
        try checkWrite()
        let sequence = try checked(sequence)
        let owner = try existing(owner)
        try unsafe json.withUnsafeBytes { (json) throws(StorageError) in
            try run(Query(.putRevisionBody)) { statement in
                statement.bind(sequence, 1)
                statement.bind(owner.number, 2)
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

    func purge(_ id: DocumentID, sequence: UInt64) throws(StorageError) {
        try checkWrite()
        let checkedSequence = try checkSequence(sequence)
        let old = try existing(id)
        try flush()
        let live = try liveCount(from: old.flags, to: nil)
        try run(Query(.delete)) { $0.bind(old.number, 1) }
        try expectOneRow()
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            try run(Query(.deleteExpiration)) { unsafe $0.bindText(id, 1) }
            try run(Query(.hide)) { statement in
                statement.bind(checkedSequence, 1)
                unsafe statement.bindText(id, 2)
                statement.bind(live, 3)
            }
        }
        didTake(sequence, live: live)
        didRemoveRecord()
    }

    /// The newest hidden entry may hold the highest sequence and the document count. If it is removed, `counters` keeps
    /// both.
    func trimHiddenEntries(through sequence: UInt64) throws(StorageError) {
        try checkWrite()
        let present = try counters()
        try flush()
        try run(Query(.trim)) { $0.bind(Int64(clamping: sequence), 1) }
        if connection.changes == 0 { return }
        didWrite()
        if present.lastSequence > sequence { return }
        // Both were read as numbers of 63 bits, and increments are checked.
        try run(Query(.floor)) { statement in
            statement.bind(Int64(clamping: present.lastSequence), 1)
            statement.bind(Int64(clamping: present.liveDocuments), 2)
        }
    }

    /// Returns a sequence in the form for SQLite.
    private func checked(_ sequence: UInt64) throws(StorageError) -> Int64 {
        guard let checked = Int64(exactly: sequence) else {
            throw .beyondAllSequences(sequence)
        }
        return checked
    }

    /// Checks that the last statement found the row that was looked up before.
    private func expectOneRow() throws(StorageError) {
        if connection.changes == 1 { return }
        let error = StorageError.corrupt("The order by ID leads to a record that is not there")
        didFail(error)
        throw error
    }
}
