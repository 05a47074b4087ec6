public import StorageProtocol

extension OrderedMapWriter {
    public func raiseLastSequence(to sequence: UInt64) throws(StorageError) {
        try transactionGuard.checkWrite()
        try StorageError.requireSequence(sequence)
        try writing { () throws(StorageError) in
            var counters = try counters()
            guard sequence > counters.lastSequence else { return }
            counters.lastSequence = sequence
            try set(counters)
        }
    }

    public func hide(_ id: DocumentID, at sequence: UInt64) throws(StorageError) {
        try requireBuilding()
        try requireFree(sequence)
        try putHiddenEntry(at: sequence, of: id)
        try raiseLastSequence(to: sequence)
    }

    public func restore(_ counters: StoreCounters) throws(StorageError) {
        try requireBuilding()
        var present = try self.counters()
        try counters.requireRestorable(over: present)
        present.lastSequence = counters.lastSequence
        try writing { () throws(StorageError) in
            try set(present)
            try setValue(ByteCoding.bytes(counters.changeCounter), of: MapKey.restoredCounter)
        }
    }

    private func requireBuilding() throws(StorageError) {
        try transactionGuard.checkWrite()
        if !isBeingBuilt { throw .notBeingBuilt }
    }

    /// Checks the sequence of a record or entry to be added. It must be above all sequences used; in a store that is
    /// being built, any unused sequence will do.
    func requireFree(_ sequence: UInt64) throws(StorageError) {
        let last = try counters().lastSequence
        guard isBeingBuilt, sequence >= 1, sequence <= last else {
            return try StorageError.requireNext(sequence, after: last)
        }
        try transactionGuard.noting { () throws(StorageError) in
            for prefix in [MapKey.sequence, MapKey.hiddenEntry]
            where try value(prefix + ByteCoding.bytes(sequence)) != nil {
                throw .sequenceInUse(sequence)
            }
        }
    }
}
