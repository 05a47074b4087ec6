public import StorageProtocol

extension OrderedMapWriter {
    /// For engines, in `commit`, if anything was written: increments the change counter, or sets it to the value passed
    /// to `restore`.
    public func countChange() throws(StorageError) {
        try writing { () throws(StorageError) in
            var counters = try counters()
            if let restored = try value(MapKey.restoredCounter) {
                counters.changeCounter = try ByteCoding.number(restored)
                try setValue(nil, of: MapKey.restoredCounter)
                return try set(counters)
            }
            guard counters.changeCounter < UInt64(Int64.max) else {
                throw .corrupt("The store's change counter is used up")
            }
            counters.changeCounter += 1
            try set(counters)
        }
    }

    public func insert(_ draft: borrowing RecordDraft) throws(StorageError) {
        try transactionGuard.checkWrite()
        try requireFree(draft.sequence)
        guard case .replace(let body) = draft.body else { throw .insertWithoutBody }
        let new = MapRecord(draft, body: body)
        try writing { () throws(StorageError) in
            guard try stored(new.id) == nil else { throw .recordExists }
            try replace(nil, by: new, at: new.sequence)
        }
    }

    public func update(_ draft: borrowing RecordDraft) throws(StorageError) {
        try transactionGuard.checkWrite()
        try StorageError.requireNext(draft.sequence, after: try counters().lastSequence)
        if case .replaceKeepingOld(_, let sequence) = draft.body { try StorageError.requireSequence(sequence) }
        var new = MapRecord(draft, body: [])
        let change = draft.body
        try writing { () throws(StorageError) in
            guard let old = try stored(new.id) else { throw .noRecord }
            switch change {
            case .unchanged: new.body = old.body
            case .replace(let body): new.body = body
            case .replaceKeepingOld(let body, _): new.body = body
            }
            try replace(old, by: new, at: new.sequence)
            guard case .replaceKeepingOld(_, let sequence) = change else { return }
            try transactionGuard.together { () throws(StorageError) in try keep(old.body, at: sequence, of: old.id) }
        }
    }

    public func purge(_ id: DocumentID, sequence: UInt64) throws(StorageError) {
        try transactionGuard.checkWrite()
        try StorageError.requireNext(sequence, after: try counters().lastSequence)
        try setExpiration(nil, of: id)
        try transactionGuard.together { () throws(StorageError) in
            try putHiddenEntry(at: sequence, of: id)
            try writing { () throws(StorageError) in try replace(try stored(id), by: nil, at: sequence) }
        }
    }

    /// Replaces a record by another one, in both orders and in the counters. The record itself is written first: it is
    /// what may be too large for the map, and nothing has changed in that case.
    private func replace(
        _ old: MapRecord?,
        by new: MapRecord?,
        at sequence: UInt64
    ) throws(StorageError) {
        var counters = try counters()
        counters.lastSequence = max(counters.lastSequence, sequence)
        if let old, old.isLive {
            guard counters.liveDocuments > 0 else { throw .corrupt("The count of live documents is too low") }
            counters.liveDocuments -= 1
        }
        if let new {
            try setValue(new.packed, of: MapKey.record(new.id))
            if new.isLive { counters.liveDocuments += 1 }
        }
        try transactionGuard.together { () throws(StorageError) in
            if let old {
                try setValue(nil, of: MapKey.sequence + ByteCoding.bytes(old.sequence))
                if new == nil { try setValue(nil, of: MapKey.record(old.id)) }
            }
            if let new {
                try setValue(Array(new.id.string.utf8), of: MapKey.sequence + ByteCoding.bytes(sequence))
            }
            try set(counters)
        }
    }

    public func putRevisionBody(_ json: RawSpan, at sequence: UInt64, owner: DocumentID) throws(StorageError) {
        try transactionGuard.checkWrite()
        try StorageError.requireSequence(sequence)
        let json = ByteCoding.copy(json)
        try writing { () throws(StorageError) in
            guard try stored(owner) != nil else { throw .noRecord }
            try keep(json, at: sequence, of: owner)
        }
    }

    private func keep(_ json: [UInt8], at sequence: UInt64, of owner: DocumentID) throws(StorageError) {
        try setValue(ByteCoding.pack([Array(owner.string.utf8), json]), of: MapKey.body + ByteCoding.bytes(sequence))
    }

    public func removeRevisionBody(at sequence: UInt64) throws(StorageError) {
        try writing { () throws(StorageError) in try setValue(nil, of: MapKey.body + ByteCoding.bytes(sequence)) }
    }

    func set(_ counters: StoreCounters) throws(StorageError) {
        let numbers = [counters.liveDocuments, counters.lastSequence, counters.changeCounter]
        try setValue(ByteCoding.pack(numbers.map(ByteCoding.bytes)), of: MapKey.counters)
    }
}
