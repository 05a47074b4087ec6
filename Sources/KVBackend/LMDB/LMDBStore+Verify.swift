internal import CSetteeLMDB
internal import StorageProtocol

extension LMDBStore {
    /// Walks all pages of a snapshot with our own code, while writers may go on.
    ///
    /// - Throws: `busy` (595) if others commit so fast that no snapshot could be read.
    /// - Complexity: Reads the whole file.
    func verify(
        step: () throws(StorageError) -> Void,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        var isSound = true
        try DamageCheck.verify(
            path: environment.path,
            snapshot: { (body) throws(StorageError) in try withSnapshot(body) },
            { problem in
                if problem.area == "pages" {
                    isSound = false
                    suspect()
                }
                report(problem)
            }
        )
        if isSound && options.toleratesDamage { try finishTolerantVerify(report) }
    }

    /// Does what a store that was opened in spite of damage has skipped: a normal opening would refuse what the quick
    /// check finds, and would remove the mark.
    private func finishTolerantVerify(_ report: (StorageProblem) -> Void) throws(StorageError) {
        do throws(StorageError) {
            try QuickCheck.run(path: environment.path)
            clearMark()
        } catch {
            guard error.code == .corrupt else { throw error }
            suspect()
            report(StorageProblem(area: "pages", message: error.message))
        }
    }

    /// Walks all pages if that was requested, or if a failure has set its mark. So far, LMDB has only read the pages of
    /// the file that the quick check has checked.
    func walkIfInDoubt() throws(StorageError) {
        let folder = LMDBFolder.folder(of: environment.path)
        let isSuspect = SuspectMark.isSet(in: folder)
        guard options.verifyOnOpen || isSuspect else { return }
        try DamageCheck.requireSound(path: environment.path) { (body) throws(StorageError) in try withSnapshot(body) }
        if isSuspect { clearMark() }
    }

    private func clearMark() {
        let folder = LMDBFolder.folder(of: environment.path)
        if environment.access != .immutable, SuspectMark.isSet(in: folder) { SuspectMark.clear(in: folder) }
    }

    /// Returns how full the leaf pages are, and what an ordered copy would save.
    ///
    /// - Throws: `corrupt` (591) if a page of the sample is damaged; `busy` (595) as `verify`.
    /// - Complexity: O(1): 64 paths of pages.
    func fillEstimate() throws(StorageError) -> FillEstimate {
        var random = SampleGenerator()
        for _ in 0..<DamageCheck.attempts {
            var estimate: FillEstimate?
            try withSnapshot { (transaction) throws(StorageError) in
                estimate = try FillEstimate.make(path: environment.path, transaction: transaction, using: &random)
            }
            if let estimate { return estimate }
        }
        throw DamageCheck.overtaken
    }

    /// Passes the number of the commit that a snapshot sees to `body`.
    func withSnapshot(_ body: (UInt64) throws(StorageError) -> Void) throws(StorageError) {
        let snapshot = try beginRead()
        defer { snapshot.end() }
        try body(unsafe UInt64(mdb_txn_id(try snapshot.live())))
    }
}
