internal import StorageEngineKit
internal import StorageProtocol

/// The write transaction.
class KVWriteTransaction<Store: OrderedStore>: KVReadTransaction<Store>, NodeNumbers {
    /// Whether anything was written.
    final private(set) var hasWritten = false
    /// The change counter that the commit will leave.
    final var restoredCounter: UInt64?

    init(writing engine: KVEngine<Store>, _ base: Store.Transaction) {
        super.init(engine, base, isWriter: true)
    }

    // MARK: The only ways to the store

    /// Stores a value. All writes except those of `remove` go through here. See `OrderedTransaction.put`.
    @inline(__always)
    @discardableResult
    final func put(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        length: Int,
        mode: PutMode = .upsert,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        guard try unsafe base.put(key, in: table, length: length, mode: mode, fill) else { return false }
        hasWritten = true
        return true
    }

    /// Removes a key. See `OrderedTransaction.remove`.
    @inline(__always)
    @discardableResult
    final func remove(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        mode: RemoveMode = .asked
    ) throws(StorageError) -> Bool {
        guard try unsafe base.remove(key, in: table, mode: mode) else { return false }
        hasWritten = true
        return true
    }

    /// Like `put`, into a table with long keys.
    final func putLong(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        length: Int,
        mode: PutMode = .upsert,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        let table = LongKeyTable(table, in: base)
        guard try unsafe table.put(key, length: length, mode: mode, numbers: self, fill) else { return false }
        didWrite()
        return true
    }

    /// Like `putLong`, through a cursor in the table, for keys that come in order.
    @inline(__always)
    final func putLong(
        _ key: UnsafeRawBufferPointer,
        by cursor: Store.Transaction.Cursor,
        in table: Table,
        _ length: Int,
        _ mode: PutMode,
        _ fill: (UnsafeMutableRawBufferPointer) -> Void
    ) throws(StorageError) -> Bool {
        guard unsafe Store.Transaction.keyLayout.isPlain(key.bytes) else {
            return try unsafe putLong(key, in: table, length: length, mode: mode, fill)
        }
        guard try unsafe cursor.put(key, length: length, mode: mode, fill) else { return false }
        hasWritten = true
        return true
    }

    /// Like `remove`, in a table with long keys.
    final func removeLong(
        _ key: UnsafeRawBufferPointer,
        in table: Table,
        mode: RemoveMode = .asked
    ) throws(StorageError) -> Bool {
        guard try unsafe LongKeyTable(table, in: base).remove(key, mode: mode) else { return false }
        didWrite()
        return true
    }

    /// Removes the entries whose keys are in `range`. See `OrderedTransaction.removeRange`.
    final func remove(_ range: ByteRange, in table: Table) throws(StorageError) {
        if try base.removeRange(range, in: table, until: nil).hasRemoved { didWrite() }
    }

    /// Like `remove`, in a table with long keys.
    ///
    /// - Parameter end: When to stop, after a few entries; nil: never.
    /// - Returns: Whether all have been removed.
    final func removeLong(
        _ range: ByteRange,
        in table: Table,
        until end: ContinuousClock.Instant? = nil
    ) throws(StorageError) -> Bool {
        let removal = try LongKeyTable(table, in: base).removeRange(range, until: end)
        if removal.hasRemoved { didWrite() }
        return removal.isComplete
    }

    /// Records that something was written, so that the commit counts.
    final func didWrite() { hasWritten = true }

    // MARK: Numbers

    /// Returns a number for a node of long keys: see `NodeNumbers`.
    final func nextNode() throws(StorageError) -> UInt64 {
        var numbers = try presentNumbers()
        let number = numbers.nextNode
        guard number < UInt64.max else { throw .corrupt("The node numbers are used up") }
        numbers.nextNode += 1
        known = numbers
        return number
    }

    /// Returns a number for an index that has never been used before.
    final func takeIndexNumber() throws(StorageError) -> UInt32 {
        var numbers = try presentNumbers()
        guard let number = UInt32(exactly: numbers.nextIndex), number < UInt32.max else {
            throw .corrupt("The index numbers are used up")
        }
        numbers.nextIndex += 1
        known = numbers
        return number
    }

    /// Checks that `sequence` is above every sequence used.
    final func checkSequence(_ sequence: UInt64) throws(StorageError) {
        let last = try presentNumbers().lastSequence
        guard sequence > last, sequence <= UInt64(Int64.max) else {
            throw .notNext(sequence, after: last)
        }
    }

    /// Records that a change of a document uses `sequence`, and counts the document.
    ///
    /// - Parameters:
    ///   - old: The previous flags of its record; nil: it had none.
    ///   - new: The new flags of its record; nil: it no longer has one.
    /// - Returns: The previous last sequence.
    @inline(__always)
    @discardableResult
    final func take(
        _ sequence: UInt64,
        from old: DocumentFlags?,
        to new: DocumentFlags?
    ) throws(StorageError) -> UInt64 {
        var numbers = try presentNumbers()
        let before = numbers.lastSequence
        let isLive = new.map { !$0.contains(.deleted) } ?? false
        if isLive != (old.map { !$0.contains(.deleted) } ?? false) {
            guard isLive ? numbers.liveDocuments < UInt64(Int64.max) : numbers.liveDocuments > 0 else {
                throw .corrupt("The store's count of live documents is out of range")
            }
            numbers.liveDocuments = isLive ? numbers.liveDocuments &+ 1 : numbers.liveDocuments &- 1
        }
        // In a store that is being built it may be lower.
        numbers.lastSequence = max(before, sequence)
        known = numbers
        return before
    }

    // MARK: Ending

    final func commit() throws(StorageError) {
        if let fault, !isOver, isOnItsThread {
            finish()
            throw fault
        }
        try checkWrite()
        if hasWritten {
            do throws(StorageError) {
                try putNumbers()
                if restoredCounter != nil { engine.knownIndexes.turnOff() }
                try base.commit()
            } catch {
                finish()
                throw error
            }
        }
        finish()
    }

    final func rollback() { end() }

    private func putNumbers() throws(StorageError) {
        var numbers = try presentNumbers()
        guard restoredCounter != nil || numbers.changeCounter < UInt64(Int64.max) else {
            throw .corrupt("The store's change counter is used up")
        }
        numbers.changeCounter = restoredCounter ?? numbers.changeCounter + 1
        known = numbers
        let value = numbers.encoded
        try unsafe MetaKey.counters.withBytes { (key) throws(StorageError) in
            _ = try unsafe put(key, in: .meta, length: value.count) { unsafe $0.copyBytes(from: value) }
        }
    }
}
