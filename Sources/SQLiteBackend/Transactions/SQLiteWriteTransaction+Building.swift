internal import StorageProtocol

extension SQLiteWriteTransaction {
    func raiseLastSequence(to sequence: UInt64) throws(StorageError) {
        try checkWrite()
        try StorageError.requireSequence(sequence)
        let present = try current()
        guard sequence > present.lastSequence else { return }
        let last = try checkSequence(sequence)
        try run(Query(.floor)) { statement in
            statement.bind(last, 1)
            statement.bind(Int64(clamping: present.liveDocuments), 2)
        }
        didTake(sequence, live: Int64(clamping: present.liveDocuments))
    }

    func restore(_ counters: StoreCounters) throws(StorageError) {
        try checkWrite()
        if !engine.options.isBeingBuilt { throw .notBeingBuilt }
        try counters.requireRestorable(over: try current())
        known?.lastSequence = counters.lastSequence
        restoredCounter = Int64(clamping: counters.changeCounter)
        hasWritten = true
        tookSequence = true
    }

    func hide(_ id: DocumentID, at sequence: UInt64) throws(StorageError) {
        try checkWrite()
        if !engine.options.isBeingBuilt { throw .notBeingBuilt }
        let checkedSequence = try checkNewSequence(sequence)
        let live = try liveCount(from: nil, to: nil)
        try unsafe id.withRawBytes { (id) throws(StorageError) in
            try run(Query(.hide)) { statement in
                statement.bind(checkedSequence, 1)
                unsafe statement.bindText(id, 2)
                statement.bind(live, 3)
            }
        }
        didTake(sequence, live: live)
    }
}
