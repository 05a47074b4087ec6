internal import StorageFiles
public import StorageProtocol

extension Database {
    /// Gives space back: drops the bodies of revisions that are not current, removes attachments' contents that nothing
    /// refers to, and rewrites the engine's files packed.
    ///
    /// Reading goes on meanwhile; writers of this process and others wait. Where another process has the database open
    /// the files cannot be rewritten: the result says who prevents it, and the rest is done all the same. A kill at any
    /// moment leaves the database as it was before or after the step that was going on.
    ///
    /// - Throws: `callback` (593) inside a transaction, snapshot or closure, `readOnly` (403), `notOpen` (503), `inUse`
    ///   (423) where another process writes longer than `busyTimeout` before anything is rewritten, `full` (507),
    ///   `corrupt` (591).
    /// - Complexity: O(size of the database), memory flat.
    @discardableResult
    public func compact() throws(StorageError) -> CompactionResult {
        guard ThreadContext.current.activity(on: self) == nil else {
            throw StorageError(.callback, "A database cannot be compacted from inside its own transaction or closure.")
        }
        guard !isReadOnly else { throw .readOnly }
        var result = CompactionResult()
        result.bytesBefore = try engineBytes()
        result.bodiesRemoved = try dropOldBodies()
        try forgetHiddenEntries()
        result.blobsRemoved = try collectBlobs()
        if let folder {
            do throws(StorageError) {
                try rewrite(in: folder)
            } catch  where error.code == .inUse {
                result.rewritePrevented = error.message
            }
        }
        result.bytesAfter = try engineBytes()
        return result
    }

    private func engineBytes() throws(StorageError) -> UInt64 {
        let generation = try enter()
        defer { leave(generation) }
        return try generation.engine.statistics().bytesOnDisk
    }

    // MARK: - Old bodies

    /// How many documents one write transaction looks at.
    private static var documentsAtATime: Int { 2000 }

    private func dropOldBodies() throws(StorageError) -> Int {
        let any = try withReadTransaction { (transaction) throws(StorageError) in
            var any = false
            try transaction.revisionBodies { (_, _, _) throws(StorageError) in
                any = true
                return false
            }
            return any
        }
        guard any else { return 0 }
        var removed = 0
        var range = ByteRange.all
        while true {
            let (sequences, last) = try oldBodies(in: range)
            if !sequences.isEmpty { removed += try dropBodies(at: sequences) }
            guard let last else { return removed }
            range.lower = .excluding(last)
        }
    }

    /// The sequences of superseded revisions among the first documents of `range`, and the last of these documents' IDs
    /// (nil at the end). A revision that is superseded stays so: the answer does not age.
    private func oldBodies(in range: ByteRange) throws(StorageError) -> (sequences: [UInt64], last: [UInt8]?) {
        try withReadTransaction { (transaction) throws(StorageError) in
            var sequences: [UInt64] = []
            var last: [UInt8]?
            var count = 0
            try transaction.records(in: range, descending: false, fields: .tree) { (record) throws(StorageError) in
                let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(decoding: bytes) }
                if tree.count > 1 {
                    for (index, node) in tree.nodes.enumerated() where node.sequence != 0 && !tree.isLeaf(index) {
                        sequences.append(node.sequence)
                    }
                }
                count += 1
                guard count < Database.documentsAtATime else {
                    last = record.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
                    return false
                }
                return true
            }
            return (sequences, last)
        }
    }

    private func dropBodies(at sequences: [UInt64]) throws(StorageError) -> Int {
        try change { (session) throws(StorageError) in
            var removed = 0
            for sequence in sequences {
                guard try session.transaction.revisionBody(at: sequence, { (_) throws(StorageError) in }) else {
                    continue
                }
                session.noteChange()
                try session.transaction.removeRevisionBody(at: sequence)
                removed += 1
            }
            return removed
        }
    }

    /// Purges need no trace once every index has seen them.
    private func forgetHiddenEntries() throws(StorageError) {
        try change { (session) throws(StorageError) in
            var seen = try session.counters().lastSequence
            for name in try session.transaction.indexNames() {
                if let state = try session.transaction.indexState(name) { seen = min(seen, state.lastSequence) }
            }
            var any = false
            guard seen > 0 else { return }
            try session.transaction.hiddenEntries(sequences: 1...seen) { (_, _) throws(StorageError) in
                any = true
                return false
            }
            guard any else { return }
            session.noteChange()
            try session.transaction.trimHiddenEntries(through: seen)
        }
    }

    // MARK: - The engine's files

    /// Copies the engine's content into the next generation and switches to it.
    private func rewrite(in folder: DatabaseFolder) throws(StorageError) {
        try withoutWriters { () throws(StorageError) in
            let generation = try enter()
            defer { leave(generation) }
            let old = generation.engine
            try folder.lockWriter(timeout: busyTimeout)
            defer { folder.unlockWriter() }
            let before = try old.read { (transaction) throws(StorageError) in try transaction.counters() }
            var next: (any StorageEngine)?
            do throws(StorageError) {
                let retired = try folder.switchGeneration(
                    build: { (directory) throws(StorageError) in
                        try old.copy(toDirectory: directory) { (_, _) throws(StorageError) in }
                    },
                    verify: { (directory) throws(StorageError) in
                        let engine = try factory.open(
                            directory: directory,
                            options: StorageOptions(durability: durability)
                        )
                        next = engine
                        let after = try engine.read { (transaction) throws(StorageError) in try transaction.counters() }
                        guard after == before else {
                            throw StorageError(
                                .unexpected,
                                "The rewritten files do not hold what the old ones do; they were not taken."
                            )
                        }
                    }
                )
                guard let next else { throw StorageError(.unexpected, "The rewritten files were not opened.") }
                replaceEngine(by: next) {
                    old.close()
                    // What cannot be deleted now is swept when the database is opened next.
                    try? retired.delete()
                }
            } catch {
                next?.close()
                throw error
            }
        }
    }
}
