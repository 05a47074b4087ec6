internal import StorageProtocol

extension KVWriteTransaction {
    func insert(_ draft: borrowing RecordDraft) throws(StorageError) {
        try checkWrite()
        let sequence = draft.sequence
        guard case .replace(let json) = draft.body else {
            throw .insertWithoutBody
        }
        let (flags, winner, tree, id) = (draft.flags, draft.winner, draft.tree, draft.documentID)
        try noting { () throws(StorageError) in
            let mode = try checkNewSequence(sequence)
            try unsafe id.withRawBytes { (key) throws(StorageError) in
                try unsafe tree.withRawBytes { (tree) throws(StorageError) in
                    try withStored(json) { (body) throws(StorageError) in
                        let record = unsafe NewRecord(
                            flags: flags,
                            sequence: sequence,
                            winner: winner,
                            tree: tree,
                            body: body
                        )
                        // What was looked up is not looked up again.
                        guard try unsafe put(record, of: key, mode: missing == id ? .new : .insert) else {
                            throw .recordExists
                        }
                    }
                }
                try unsafe putEntry(flags: flags, sequence: sequence, id: key, mode: mode)
            }
            (last, missing) = (KnownRecord(id: id, sequence: sequence, flags: flags), nil)
            try trainIfDue(from: take(sequence, from: nil, to: flags), to: sequence)
        }
    }

    func update(_ draft: borrowing RecordDraft) throws(StorageError) {
        try checkWrite()
        let sequence = draft.sequence
        let (flags, winner, tree, id, change) = (draft.flags, draft.winner, draft.tree, draft.documentID, draft.body)
        try noting { () throws(StorageError) in
            try checkSequence(sequence)
            if case .replaceKeepingOld(_, let oldSequence) = change { try checkBodySequence(oldSequence) }
            try unsafe id.withRawBytes { (key) throws(StorageError) in
                let old = try unsafe existing(id, key)
                // Otherwise the counters and the record contradict each other: one of the two is damaged.
                guard sequence > old.sequence else { throw .damagedSequences }
                try unsafe tree.withRawBytes { (tree) throws(StorageError) in
                    try unsafe withBody(change, of: key) { (body) throws(StorageError) in
                        let record = unsafe NewRecord(
                            flags: flags,
                            sequence: sequence,
                            winner: winner,
                            tree: tree,
                            body: body
                        )
                        _ = try unsafe put(record, of: key)
                    }
                }
                guard try remove(old.sequence, in: .sequences) else { throw .damagedSequences }
                try unsafe putEntry(flags: flags, sequence: sequence, id: key)
                last = KnownRecord(id: id, sequence: sequence, flags: flags)
                try trainIfDue(from: take(sequence, from: old.flags, to: flags), to: sequence)
            }
        }
    }

    func purge(_ id: DocumentID, sequence: UInt64) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            try checkSequence(sequence)
            try unsafe id.withRawBytes { (key) throws(StorageError) in
                let old = try unsafe existing(id, key)
                last = nil
                _ = try unsafe removeLong(key, in: .documents, mode: .known)
                guard try remove(old.sequence, in: .sequences) else { throw .damagedSequences }
                try unsafe clearExpiration(of: key)
                try unsafe FixedKey(sequence).withBytes { (hidden) throws(StorageError) in
                    _ = try unsafe put(hidden, in: .hidden, length: key.count, mode: .append) {
                        unsafe $0.copyMemory(from: key)
                    }
                }
                try take(sequence, from: old.flags, to: nil)
            }
        }
    }

    func trimHiddenEntries(through sequence: UInt64) throws(StorageError) {
        try checkWrite()
        try noting { () throws(StorageError) in
            let last = try unsafe FixedKey(sequence).withBytes { unsafe Array($0) }
            try remove(ByteRange(upper: .including(last)), in: .hidden)
        }
    }

    // MARK: Parts

    /// Returns the record of a document, from memory if it was the last one looked up.
    ///
    /// - Throws: `notFound` (404) if there is none.
    func existing(_ id: DocumentID, _ key: UnsafeRawBufferPointer) throws(StorageError) -> KnownRecord {
        if let last, last.id == id { return last }
        let found = try unsafe withRecord(key) { (record) throws(StorageError) in
            guard let record else { throw .noRecord }
            return KnownRecord(id: id, record)
        }
        last = found
        return found
    }

    /// Passes the body that a record will have to `use`, and keeps the old one if the change says so. Parts of the old
    /// record are copied first, because a put may move what the store lent.
    private func withBody<R>(
        _ change: RecordDraft.BodyChange,
        of id: UnsafeRawBufferPointer,
        _ use: (StoredBody) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        switch change {
        case .replace(let json): return try withStored(json, use)
        case .unchanged:
            return try unsafe storedBody(of: id).withRawBytes { (body) throws(StorageError) in
                try use(unsafe .encoded(body))
            }
        case .replaceKeepingOld(let json, let oldSequence):
            // The new one first: if it is refused, nothing has been written.
            return try withStored(json) { (new) throws(StorageError) in
                try unsafe storedBody(of: id).withRawBytes { (body) throws(StorageError) in
                    try unsafe putKept(.encoded(body), at: oldSequence, owner: id)
                }
                return try use(new)
            }
        }
    }

    private func storedBody(of id: UnsafeRawBufferPointer) throws(StorageError) -> [UInt8] {
        try unsafe withRecord(id) { (record) throws(StorageError) in
            guard let record else { throw .noRecord }
            return unsafe Array(record.body)
        }
    }

    private func put(
        _ record: NewRecord,
        of id: UnsafeRawBufferPointer,
        mode: PutMode = .upsert
    ) throws(StorageError) -> Bool {
        if unsafe isPlain(id: id) {
            if mode != .upsert { try ceiling.willInsert(in: base) }
            let mode = unsafe mode != .upsert && ceiling.isBelow(id) ? .append : mode
            guard
                try unsafe put(id, in: .documents, length: record.length, mode: mode, { unsafe record.write(to: $0) })
            else { return false }
            unsafe ceiling.didInsert(id)
            return true
        }
        ceiling.forget()
        return try unsafe putLong(id, in: .documents, length: record.length, mode: mode) { unsafe record.write(to: $0) }
    }

    private func putEntry(
        flags: DocumentFlags,
        sequence: UInt64,
        id: UnsafeRawBufferPointer,
        mode: PutMode = .append
    ) throws(StorageError) {
        try unsafe FixedKey(sequence).withBytes { (key) throws(StorageError) in
            let length = SequenceEntry.length(idLength: id.count)
            _ = try unsafe put(key, in: .sequences, length: length, mode: mode) {
                unsafe SequenceEntry.write(to: $0, flags: flags, id: id)
            }
        }
    }

    private func remove(_ number: UInt64, in table: Table) throws(StorageError) -> Bool {
        try unsafe FixedKey(number).withBytes { (key) throws(StorageError) in
            try unsafe remove(key, in: table, mode: .known)
        }
    }
}
