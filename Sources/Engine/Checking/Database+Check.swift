internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Checks the manifest and the engine's own files, and that trees, bodies, sequences, counts and references agree,
    /// on one snapshot; reads every attachment's content, which must have the digests that it is kept under; and
    /// compares the indexes of views with the documents: row by row where the map function is a stored definition or
    /// was set by this program. Others may write meanwhile.
    ///
    /// - Parameter progress: told now and then, on the calling thread, how much of the engine's own check is done of
    ///   how much, in a unit of the engine's choice. It must not call the database.
    /// - Returns: what is wrong; empty where nothing is. Problems beyond 1,000 are only counted.
    /// - Throws: `notOpen` (503), `callback` (593) inside an `update` closure, `storage` (590) where checking is
    ///   impossible.
    /// - Complexity: O(size of the database and its attachments), memory flat but for the references to attachments.
    public func check(
        progress: (_ done: UInt64, _ of: UInt64) -> Void = { (_, _) in }
    ) throws(StorageError) -> [StorageProblem] {
        var problems: [StorageProblem] = []
        let generation = try enter()
        defer { leave(generation) }
        let gate = ThreadContext.current.gate
        let tell = { (done: UInt64, total: UInt64) throws(StorageError) in
            try gate?.check()
            progress(done, total)
        }
        problems += try folder?.manifestProblems() ?? []
        try generation.engine.verify(progress: tell) { problems.append($0) }
        do throws(StorageError) {
            try withReadGeneration(readsBlobs: true, beginsAtOnce: true) {
                (transaction, generation) throws(StorageError) in
                let blobs = BlobCheck(database: self, store: try generation.blobStore())
                var checker = DatabaseChecker(self, transaction, blobs)
                try checker.run()
                problems += checker.problems
            }
        } catch  where error.code == .corrupt {
            problems.append(StorageProblem(area: "data", message: error.message))
        }
        return problems
    }
}
