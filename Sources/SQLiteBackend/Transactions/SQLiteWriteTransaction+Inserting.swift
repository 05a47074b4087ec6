internal import StorageProtocol

extension SQLiteWriteTransaction {
    func insert(_ draft: borrowing RecordDraft) throws(StorageError) {
        try checkWrite()
        let sequence = try checkNewSequence(draft.sequence)
        guard case .replace(let body) = draft.body else {
            throw .insertWithoutBody
        }
        let id = draft.documentID
        // From here on it exists.
        let isAbsent = absentOnes.remove(id) != nil
        if absent != id, !isAbsent, try record(id, fields: .metadata, { (_) throws(StorageError) in }) {
            throw .recordExists
        }
        absent = nil
        let live = try liveCount(from: nil, to: draft.flags)
        if try isAboveAll(id) { greatest = .id(id) }
        let tree = draft.tree
        let flags = Int64(draft.flags.rawValue)
        let winner = draft.winner
        let number = try unsafe id.withRawBytes { (id) throws(StorageError) in
            try unsafe tree.withRawBytes { (tree) throws(StorageError) in
                try unsafe StoredWinner.of(winner, in: tree) { (winner) throws(StorageError) in
                    try unsafe body.withRawBytes { (body) throws(StorageError) in
                        try unsafe insert(sequence, flags, live, id, winner, tree, body)
                    }
                }
            }
        }
        latest = KnownRecord(id: id, number: number, flags: draft.flags)
        didTake(draft.sequence, live: live)
    }

    /// Adds a record to the pending ones. Passes it to SQLite at once if it is large, or if it is the first, which
    /// determines the numbers of those that follow.
    @unsafe
    private func insert(
        _ sequence: Int64,
        _ flags: Int64,
        _ live: Int64,
        _ id: UnsafeRawBufferPointer,
        _ winner: StoredWinner,
        _ tree: UnsafeRawBufferPointer,
        _ body: UnsafeRawBufferPointer
    ) throws(StorageError) -> Int64 {
        if let record = nextRecord, id.count + winner.length + tree.count + body.count <= PendingInserts.largest {
            let pending = self.pending ?? PendingInserts()
            self.pending = pending
            unsafe pending.append(
                sequence: sequence,
                flags: flags,
                live: live,
                id: id,
                winner: winner,
                tree: tree,
                body: body
            )
            nextRecord = record + 1
            if pending.isFull { try flush() }
            return record
        }
        try flush()
        try run(Query(.insert)) { statement in
            unsafe statement.bindText(id, 1)
            statement.bind(sequence, 2)
            statement.bind(flags, 3)
            statement.bind(live, 4)
            winner.bind(to: statement, 5)
            unsafe statement.bindBlob(tree, 6)
            unsafe statement.bindText(body, 7)
        }
        let record = connection.lastInsertedRow
        guard record > 0, record < Int64.max - 1 << 32 else {
            let error = StorageError.corrupt("The record numbers are used up")
            didFail(error)
            throw error
        }
        nextRecord = record + 1
        return record
    }
}
