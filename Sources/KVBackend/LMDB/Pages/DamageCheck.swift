internal import StorageProtocol

/// Walks all pages, for the LMDB store.
enum DamageCheck {
    /// How often a snapshot is begun until its meta page is found in the file.
    static let attempts = 100

    /// Walks all pages before anything is read or written through LMDB.
    ///
    /// - Parameters:
    ///   - path: The data file.
    ///   - snapshot: Runs its argument within a read transaction and passes it the transaction's number. Called again
    ///     if others commit so fast that the snapshot's meta page no longer existed.
    /// - Throws: `corrupt` (591) with the first problem and their number; `busy` (595); errors of reading and of
    ///   `snapshot`.
    static func requireSound(path: String, snapshot: Snapshot) throws(StorageError) {
        let walk = try walk(path: path, snapshot)
        guard let problem = walk.problems.first else { return }
        let count = walk.isFull ? "\(PageWalk.maximumProblems) or more" : "\(walk.problems.count)"
        throw PageFault.damage("\(problem.message) (\(count) such problems in all)").storageError
    }

    /// Walks all pages while others may write, and passes damage to `report`: at most 100 problems and 100 wrong
    /// counts.
    ///
    /// - Throws: As `requireSound`, but damage is reported.
    static func verify(
        path: String,
        snapshot: Snapshot,
        _ report: (StorageProblem) -> Void
    ) throws(StorageError) {
        let walk: PageWalk
        do throws(StorageError) {
            walk = try self.walk(path: path, snapshot)
        } catch {
            guard error.code == .corrupt else { throw error }
            return report(StorageProblem(area: "pages", message: error.message))
        }
        walk.problems.forEach(report)
        walk.notes.forEach(report)
    }

    /// Walks the list of free pages of a snapshot that cannot be overwritten.
    ///
    /// - Throws: `corrupt` (591) with the first problem; errors of reading.
    static func requireSoundFreeList(path: String, transaction: UInt64) throws(StorageError) {
        do throws(PageFault) {
            let file = try PageFile(path: path)
            guard let meta = try MetaPage.of(transaction, file) else { throw .damage("its meta page is gone") }
            var walk = try PageWalk(file, meta)
            try walk.walk(meta.freeList, .freeList)
            if let problem = walk.problems.first { throw .damage(problem.message) }
        } catch {
            throw error.storageError
        }
    }

    /// Returns the error of an opening with all problems found by the walk of the pages, at most 100, as its cause. The
    /// walk holds no snapshot, because LMDB must not open the file.
    static func withList(_ error: StorageError, path: String) -> StorageError {
        // There is no file at the path, or something else.
        guard let file = try? PageFile(path: path) else { return error }
        var error = error
        var problems: [StorageProblem] = []
        do throws(PageFault) {
            try Snapshots.settled(file, attempts: attempts) { () throws(PageFault) in
                var walk = try PageWalk(file, MetaPages(file).newest)
                try walk.walkAll()
                problems = walk.problems
                if let problem = problems.first { throw .damage(problem.message) }
            }
        } catch {
            if problems.isEmpty { problems.append(StorageProblem(area: "pages", message: error.storageError.message)) }
        }
        if !problems.contains(where: { error.message.contains($0.message) }) {
            problems.append(StorageProblem(area: "data", message: error.message))
        }
        error.cause = DamageList(problems)
        return error
    }

    typealias Snapshot = (_ body: (_ transaction: UInt64) throws(StorageError) -> Void) throws(StorageError) -> Void

    private static func walk(path: String, _ snapshot: Snapshot) throws(StorageError) -> PageWalk {
        for _ in 0..<attempts {
            var result: PageWalk?
            try snapshot { (transaction) throws(StorageError) in
                do throws(PageFault) {
                    let file = try PageFile(path: path)
                    guard let meta = try MetaPage.of(transaction, file) else { return }
                    var walk = try PageWalk(file, meta)
                    try walk.walkAll()
                    result = walk
                } catch {
                    throw error.storageError
                }
            }
            if let result { return result }
        }
        throw overtaken
    }

    /// The error if others commit so fast that no snapshot could be read.
    static var overtaken: StorageError {
        StorageError(
            .busy,
            "Another process commits too often for the data file to be checked. Try again a little later."
        )
    }
}

extension MetaPage {
    /// Returns the meta page of a transaction that is held by a reader. Nil if there have been two commits since it
    /// began, so that it is no longer in the file. Read twice, because a commit may be about to write it.
    static func of(_ transaction: UInt64, _ file: PageFile) throws(PageFault) -> MetaPage? {
        let first = try MetaPage(file.read(length, at: 0), index: 0)
        let index = transaction == 0 ? 0 : Int(transaction & 1)
        let offset = UInt64(index * first.pageSize)
        let bytes = try file.read(length, at: offset)
        guard bytes.count == length, bytes.u64(144) == transaction, try file.read(length, at: offset) == bytes else {
            return nil
        }
        let meta = try MetaPage(bytes, index: index)
        if let problem = meta.problem { throw .damage("meta page \(index) \(problem)") }
        return meta
    }
}
