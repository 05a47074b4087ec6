internal import StorageEngineKit
internal import StorageProtocol

extension MemoryWriteTransaction {
    func raiseLastSequence(to sequence: UInt64) throws(StorageError) {
        try checkWrite()
        try StorageError.requireSequence(sequence)
        guard sequence > state.lastSequence else { return }
        didWrite()
        state.lastSequence = sequence
    }

    func hide(_ id: DocumentID, at sequence: UInt64) throws(StorageError) {
        try checkWrite()
        if !engine.isBeingBuilt { throw .notBeingBuilt }
        try checkNewSequence(sequence)
        didWrite()
        state.hiddenEntries.set(sequence, id)
        state.lastSequence = max(state.lastSequence, sequence)
    }

    func restore(_ counters: StoreCounters) throws(StorageError) {
        try checkWrite()
        if !engine.isBeingBuilt { throw .notBeingBuilt }
        try counters.requireRestorable(over: state.counters)
        didWrite()
        state.lastSequence = counters.lastSequence
        restoredCounter = counters.changeCounter
    }
}
