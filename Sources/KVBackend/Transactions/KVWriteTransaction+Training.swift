internal import StorageProtocol

extension KVWriteTransaction {
    /// Makes the store's first compression dictionary, if it is due and the documents suffice. Called after each
    /// record.
    @inline(__always)
    final func trainIfDue(from before: UInt64, to now: UInt64) throws(StorageError) {
        if engine.compression == .lz4, try codec.trainingIsDue(from: before, to: now) { try train() }
    }

    @inline(never)
    private final func train() throws(StorageError) {
        var samples = DictionarySamples()
        try unsafe sampleBodies { (json) in
            unsafe samples.add(json)
            return !samples.isFull
        }
        try codec.train(samples, liveDocuments: presentNumbers().liveDocuments)
    }

    /// Adds a dictionary of current documents, if it makes them shorter than the existing one does. For a compaction,
    /// before it copies: the version is then used up for every writer.
    ///
    /// - Returns: Whether there is a new one.
    final func renewDictionary() throws(StorageError) -> Bool {
        guard engine.compression == .lz4 else { return false }
        try checkWrite()
        return try noting { () throws(StorageError) in
            var renewal = DictionaryRenewal()
            try unsafe sampleBodies { (json) in
                unsafe renewal.add(json)
                return !renewal.isFull
            }
            guard let dictionary = renewal.dictionary(after: try codec.newestDictionary()) else { return false }
            try codec.add(dictionary)
            didWrite()
            return true
        }
    }

    /// Passes the JSON of live documents, spread over the store, to `use` until it returns false. Skips damaged ones.
    private final func sampleBodies(_ use: (UnsafeRawBufferPointer) -> Bool) throws(StorageError) {
        let cursor = try base.cursor(.sequences)
        defer { cursor.close() }
        var seen: Set<UInt64> = []
        for wanted in DictionarySchedule.samples(lastSequence: try presentNumbers().lastSequence) {
            let isThere = try unsafe FixedKey(wanted).withBytes { (key) throws(StorageError) in
                try unsafe cursor.seek(.atOrAfter(key))
            }
            guard isThere, let sequence = unsafe FixedKey.number(cursor.key), seen.insert(sequence).inserted else {
                continue
            }
            do throws(StorageError) {
                guard try unsafe sample(SequenceEntry(cursor.value), use) else { return }
            } catch {
                guard error.code == .corrupt else { throw error }
            }
        }
    }

    private final func sample(
        _ entry: SequenceEntry,
        _ use: (UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) -> Bool {
        if entry.flags.contains(.deleted) { return true }
        return try unsafe withRecord(entry.id) { (record) throws(StorageError) in
            guard let record else { return true }
            return try unsafe withJSON(record.body) { (json) throws(StorageError) in unsafe use(json) }
        }
    }
}
