internal import StorageProtocol

extension BodyCodec {
    /// Whether the transaction should look for samples, now that the store's last sequence has gone from one to
    /// another: asked after each record that is written. Costs next to nothing while it is not due.
    ///
    /// - Throws: `corrupt` (591), and what the store throws.
    func trainingIsDue(from before: UInt64, to now: UInt64) throws(StorageError) -> Bool {
        guard compression == .lz4 else { return false }
        // Sequences reach a look also where every document comes in a process of its own; bodies also where sequences
        // jump.
        let bodiesAsk = bodiesAskForTraining
        bodiesAskForTraining = false
        guard bodiesAsk || DictionarySchedule.isDue(from: before, to: now) else { return false }
        return try newestDictionary() == nil
    }

    /// Makes the first dictionary of the samples, if they suffice. Needs a write transaction, and is undone with it.
    ///
    /// - Parameter liveDocuments: how many the store has.
    func train(_ samples: DictionarySamples, liveDocuments: UInt64) throws(StorageError) {
        guard samples.suffice(liveDocuments: liveDocuments), try newestDictionary() == nil else { return }
        try add(samples.dictionary(version: 1))
    }
}
