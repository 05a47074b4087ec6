internal import StorageProtocol

extension BodyCodec {
    /// Whether the transaction should look for samples, now that the store's last sequence has changed from `before` to
    /// `now`. Called after each record that is written. Costs almost nothing while it is not due.
    ///
    /// - Throws: `corrupt` (591), and errors of the store.
    func trainingIsDue(from before: UInt64, to now: UInt64) throws(StorageError) -> Bool {
        guard compression == .lz4 else { return false }
        // Counting sequences triggers a look even if every document is written by another process; counting bodies
        // triggers one even if sequences have gaps.
        let bodiesAsk = bodiesAskForTraining
        bodiesAskForTraining = false
        guard bodiesAsk || DictionarySchedule.isDue(from: before, to: now) else { return false }
        return try newestDictionary() == nil
    }

    /// Makes the first dictionary from the samples, if they suffice. Needs a write transaction, and is undone with it.
    ///
    /// - Parameter liveDocuments: The number of live documents in the store.
    func train(_ samples: DictionarySamples, liveDocuments: UInt64) throws(StorageError) {
        guard samples.suffice(liveDocuments: liveDocuments), try newestDictionary() == nil else { return }
        try add(samples.dictionary(version: 1))
    }
}
