internal import CSetteeLMDB
internal import StorageProtocol

extension LMDBStore {
    /// Walks all pages of a snapshot by our own means, beside whoever writes.
    ///
    /// - Throws: `busy` (595) where others commit so fast that no snapshot could be taken hold of.
    /// - Complexity: reads the whole file.
    func verify(_ report: (StorageProblem) -> Void) throws(StorageError) {
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

    /// What a store leaves out that opens in spite of damage: an open that does not would refuse what the quick check
    /// finds, and would take the mark away.
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

    /// Walks all pages where that was asked for, or where a failure left its mark. LMDB has seen nothing of the file
    /// yet but the pages that the quick check went over.
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

    /// How full the leaf pages are, and what an ordered copy would win.
    ///
    /// - Throws: `corrupt` (591) where a page of the sample is damaged; `busy` (595) as `verify`.
    /// - Complexity: flat: 64 paths of pages.
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

    /// Hands the number of the commit that a snapshot sees to `body`.
    func withSnapshot(_ body: (UInt64) throws(StorageError) -> Void) throws(StorageError) {
        let snapshot = try beginRead()
        defer { snapshot.end() }
        try body(unsafe UInt64(mdb_txn_id(try snapshot.live())))
    }
}
