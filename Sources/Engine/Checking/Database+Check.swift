internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Checks the manifest and the engine's own files, and that trees, bodies, sequences, counts and references agree,
    /// on one snapshot. Reads the content of every attachment, which must have the digests under which it is stored.
    /// Compares the indexes of views with the documents, row by row if the map function is a stored definition or was
    /// set by this program. Others may write at the same time.
    ///
    /// - Parameter progress: called now and then on the calling thread with how much of the engine's own check is done,
    ///   and of how much, in a unit that the engine chooses. It must not call the database.
    /// - Returns: the problems; empty if there are none. Problems beyond 1,000 are only counted.
    /// - Throws: `notOpen` (503), `callback` (593) inside an `update` closure, `storage` (590) if checking is
    ///   impossible.
    /// - Complexity: O(size of the database and its attachments). Memory depends only on the number of references to
    ///   attachments.
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
        problems += try leftoverProblems()
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
