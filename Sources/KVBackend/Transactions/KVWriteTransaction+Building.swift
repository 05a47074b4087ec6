internal import StorageProtocol

extension KVWriteTransaction {
    func raiseLastSequence(to sequence: UInt64) throws(StorageError) {
        try checkWrite()
        try StorageError.requireSequence(sequence)
        try noting { () throws(StorageError) in
            var numbers = try presentNumbers()
            guard sequence > numbers.lastSequence else { return }
            numbers.lastSequence = sequence
            known = numbers
            didWrite()
        }
    }

    func hide(_ id: DocumentID, at sequence: UInt64) throws(StorageError) {
        try checkWrite()
        if !engine.options.isBeingBuilt { throw .notBeingBuilt }
        try noting { () throws(StorageError) in
            let mode = try checkNewSequence(sequence)
            try unsafe FixedKey(sequence).withBytes { (key) throws(StorageError) in
                try unsafe id.withRawBytes { (id) throws(StorageError) in
                    _ = try unsafe put(key, in: .hidden, length: id.count, mode: mode) {
                        unsafe $0.copyMemory(from: id)
                    }
                }
            }
            try take(sequence, from: nil, to: nil)
        }
    }

    func restore(_ counters: StoreCounters) throws(StorageError) {
        try checkWrite()
        if !engine.options.isBeingBuilt { throw .notBeingBuilt }
        try noting { () throws(StorageError) in
            var numbers = try presentNumbers()
            try counters.requireRestorable(over: numbers.counters)
            numbers.lastSequence = counters.lastSequence
            known = numbers
            restoredCounter = counters.changeCounter
            didWrite()
        }
    }

    /// Checks the sequence of a record or entry to be added. It must be above all sequences used; in a store that is
    /// being built, any unused sequence will do.
    ///
    /// - Returns: How to put its entry.
    func checkNewSequence(_ sequence: UInt64) throws(StorageError) -> PutMode {
        guard engine.options.isBeingBuilt, sequence >= 1, try sequence <= presentNumbers().lastSequence else {
            try checkSequence(sequence)
            return .append
        }
        for table in [Table.sequences, .hidden] {
            let isThere = try unsafe FixedKey(sequence).withBytes { (key) throws(StorageError) in
                try unsafe base.withValue(of: key, in: table) { unsafe $0 != nil }
            }
            if isThere { throw .sequenceInUse(sequence) }
        }
        return .new
    }
}
