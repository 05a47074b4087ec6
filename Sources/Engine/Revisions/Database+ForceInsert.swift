internal import SetteeDocumentValues
public import StorageProtocol

extension Database {
    /// Adds many revisions that were made elsewhere, as `Document.forceInsert` adds one, in few transactions. Each ends
    /// after 500 revisions, 4 MiB of bodies or 50 ms, so that others can write; inside a transaction of the caller, all
    /// revisions join it. One that is refused holds up no other.
    ///
    /// Revisions that are known are left as they are, so that after an error the call can be repeated with all of them.
    ///
    /// - Parameter source: where the revisions come from, such as a URL. Observers of the database get it.
    /// - Returns: an outcome for each revision, in their order.
    /// - Throws: `readOnly` (403), `inUse` (423), `full` (507), `storage` (590), `notOpen` (503), `callback` (593).
    ///   The transactions before stay.
    public func forceInsert(
        _ revisions: [ForeignRevision],
        source: String? = nil
    ) throws(StorageError) -> [ForceInsertOutcome] {
        var outcomes: [ForceInsertOutcome] = []
        outcomes.reserveCapacity(revisions.count)
        prepareStubs(of: revisions)
        while outcomes.count < revisions.count {
            outcomes += try change { (session) throws(StorageError) in
                try forceInsert(revisions[outcomes.count...], source: source, in: session)
            }
        }
        return outcomes
    }

    /// Adds revisions until the transaction is to end, at least one.
    private func forceInsert(
        _ revisions: ArraySlice<ForeignRevision>,
        source: String?,
        in session: WriteSession
    ) throws(StorageError) -> [ForceInsertOutcome] {
        let end = ContinuousClock.now + Database.longestBatch
        var outcomes: [ForceInsertOutcome] = []
        var bytes = 0
        for revision in revisions.prefix(Database.mostRevisionsOfBatch) {
            let isOver = bytes > Database.mostBytesOfBatch || (outcomes.count % 16 == 15 && ContinuousClock.now > end)
            if isOver, !outcomes.isEmpty { break }
            bytes += revision.body.canonical.count
            let before = session.changes
            do throws(StorageError) {
                let isNew = try insert(revision, source: source)
                outcomes.append(isNew ? .added : .known)
            } catch {
                // What has begun to write cannot be undone alone.
                guard session.changes == before, !error.code.isStorageFailure, error.code != .callback else {
                    throw error
                }
                outcomes.append(.refused(error))
            }
        }
        return outcomes
    }

    /// Does nothing if the revision exists already.
    ///
    /// - Returns: whether the revision was new.
    func forceInsert(_ revision: ForeignRevision, source: String?) throws(StorageError) -> Bool {
        prepareStubs(of: [revision])
        return try insert(revision, source: source)
    }

    private func insert(_ revision: ForeignRevision, source: String?) throws(StorageError) -> Bool {
        try forceInsert(revision.documentID, history: revision.history, revision.body, source: source)
    }

    private static let mostRevisionsOfBatch = 500
    private static let mostBytesOfBatch = 4 << 20
    private static let longestBatch = Duration.milliseconds(50)
}
