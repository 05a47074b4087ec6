public import StorageProtocol

extension Database {
    /// Checks the engine's own files, and that trees, bodies, sequences, counts and references agree, on one snapshot; reads
    /// every attachment's content, which must have the digests that it is kept under; and compares the indexes of views with
    /// the documents: row by row where the map function is a stored definition or was set by this program. Others may write
    /// meanwhile.
    ///
    /// - Returns: what is wrong; empty where nothing is. Problems beyond 1,000 are only counted.
    /// - Throws: `notOpen` (503), `callback` (593) inside an `update` closure, `storage` (590) where checking is
    ///   impossible.
    /// - Complexity: O(size of the database and its attachments), memory flat but for the references to attachments.
    public func check() throws(StorageError) -> [StorageProblem] {
        var problems: [StorageProblem] = []
        let generation = try enter()
        defer { leave(generation) }
        try generation.engine.verify { problems.append($0) }
        do throws(StorageError) {
            try withReadTransaction(readsBlobs: true, beginsAtOnce: true) { (transaction) throws(StorageError) in
                var checker = DatabaseChecker(self, transaction, BlobCheck(database: self, store: try blobStore()))
                try checker.run()
                problems += checker.problems
            }
        } catch  where error.code == .corrupt {
            problems.append(StorageProblem(area: "data", message: error.message))
        }
        return problems
    }
}
