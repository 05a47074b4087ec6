internal import SetteeDocumentValues
internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Gives space back: drops the bodies of revisions that are not current, removes contents of attachments that
    /// nothing refers to, and rewrites the engine's files packed. Before that it reads the contents of all attachments
    /// that documents refer to; if one is missing or damaged nothing is done.
    ///
    /// Reading goes on during this. Writing goes on, too, if the engine rewrites in steps (`.lmdb`), except for a
    /// moment at the end; otherwise writers wait. If a rewrite is already in progress, started automatically or by
    /// another thread, the call joins it and makes it run without pauses. If another process has the database open, the
    /// files cannot be rewritten: the result says which process prevents it, and everything else is still done. The
    /// other requirements of a rewrite, the ability of the engine and free space on the disk, are checked first. If the
    /// space is missing, the contents that nothing refers to are removed; if that is not enough, or the engine cannot,
    /// nothing else is dropped. A kill at any moment leaves the database as it was before or after the
    /// step in progress.
    ///
    /// - Throws: `callback` (593) inside a transaction, snapshot or closure, `readOnly` (403), `notOpen` (503), also if
    ///   it is closed during the call, `inUse` (423) if another process writes for longer than `busyTimeout` before
    ///   anything is rewritten, `full` (507), `corrupt` (591) also for a damaged attachment, `notImplemented` (501) for
    ///   an engine that cannot do what it declares.
    /// - Complexity: O(size of the database and its attachments); memory does not depend on the size.
    @discardableResult
    public func compact() throws(StorageError) -> CompactionResult {
        guard ThreadContext.current.activity(on: self) == nil else {
            throw StorageError(.callback, "A database cannot be compacted from inside its own transaction or closure.")
        }
        guard !isReadOnly else { throw .readOnly }
        let began = trace?.now
        var result = CompactionResult()
        let plan = try planMakingRoom(&result)
        try requireSoundContents()
        result.bytesBefore = try engineBytes()
        result.bodiesRemoved = try dropOldBodies()
        while try reclaimDroppedIndexes() {}
        try forgetHiddenEntries()
        var collection = BlobCollection(of: self)
        result.blobsRemoved += try collection.run()
        switch plan {
        case .none(let reason): result.rewritePrevented = reason
        case .byItself: try compactInPlace()
        case .rewrite:
            do throws(StorageError) {
                try compactor.rewrite(self)
            } catch  where error.code == .inUse {
                result.rewritePrevented = error.message
                Log.log(.notice, .storage, "\(name): the files were not rewritten: \(error.message)")
            }
        }
        result.bytesAfter = try engineBytes()
        if let trace, let began { trace.compacted(result, began: began) }
        Log.log(
            .info,
            .storage,
            """
            \(name) was compacted: \(result.bytesBefore) bytes before, \(result.bytesAfter) after; \
            \(result.bodiesRemoved) bodies and \(result.blobsRemoved) attachments removed
            """
        )
        return result
    }

    /// Where the disk has no room, removes the contents that nothing refers to, and plans again.
    private func planMakingRoom(_ result: inout CompactionResult) throws(StorageError) -> CompactionPlan {
        try folder?.requireInPlace()
        do throws(StorageError) {
            return try CompactionPlan(for: self)
        } catch {
            guard error.code == .full else { throw error }
        }
        try requireSoundContents()
        result.blobsRemoved = try BlobCollection.freeRoom(in: self)
        return try CompactionPlan(for: self)
    }

    /// Reads all contents that documents refer to.
    ///
    /// - Throws: `corrupt` (591) if one is missing or damaged.
    private func requireSoundContents() throws(StorageError) {
        let gate = ThreadContext.current.gate
        try withReadGeneration(readsBlobs: true, beginsAtOnce: true) {
            (transaction, generation) throws(StorageError) in
            let contents = BlobCheck(database: self, store: try generation.blobStore())
            try transaction.orderedBlobReferences { (reference) throws(StorageError) in
                try gate?.check()
                guard reference.count > 0 else { return true }
                guard try contents.fault(of: reference) == nil else {
                    throw .corrupt(
                        "The content of an attachment is damaged or missing, so nothing was compacted. Save the "
                            + "attachment again, or delete it from its documents"
                    )
                }
                return true
            }
        }
    }

    private func compactInPlace() throws(StorageError) {
        let generation = try enter()
        defer { leave(generation) }
        let gate = ThreadContext.current.gate
        try generation.engine.compact { (_, _) throws(StorageError) in try gate?.check() }
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
            try transaction.orderedRevisionBodies { (_, _, _) throws(StorageError) in
                any = true
                return false
            }
            return any
        }
        guard any else { return 0 }
        var removed = 0
        var range = ByteRange.all
        while true {
            let (revisions, last) = try oldBodies(in: range)
            if !revisions.isEmpty { removed += try dropBodies(of: revisions) }
            guard let last else { return removed }
            range.lower = .excluding(last)
        }
    }

    /// Returns the superseded revisions among the first documents of `range`, and the last ID of these documents (nil
    /// at the end). A superseded revision stays superseded, so the answer does not become outdated.
    private func oldBodies(
        in range: ByteRange
    ) throws(StorageError) -> (revisions: [RevisionTree.Node], last: [UInt8]?) {
        try withReadTransaction { (transaction) throws(StorageError) in
            var revisions: [RevisionTree.Node] = []
            var last: [UInt8]?
            var count = 0
            try transaction.orderedRecords(in: range, descending: false, fields: .tree) {
                (record) throws(StorageError) in
                let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
                if tree.count > 1 {
                    for (index, node) in tree.nodes.enumerated() where node.sequence != 0 && !tree.isLeaf(index) {
                        revisions.append(node)
                    }
                }
                count += 1
                guard count < Database.documentsAtATime else {
                    last = record.withID { id in unsafe id.withUnsafeBytes { unsafe Array($0) } }
                    return false
                }
                return true
            }
            return (revisions, last)
        }
    }

    private func dropBodies(of revisions: [RevisionTree.Node]) throws(StorageError) -> Int {
        try change { (session) throws(StorageError) in
            let writer = DocumentWriter(session)
            var removed = 0
            for revision in revisions {
                let isKept = try session.transaction.revisionBody(at: revision.sequence) { (_) throws(StorageError) in }
                guard isKept else { continue }
                session.noteChange()
                try writer.dropBody(of: revision)
                removed += 1
            }
            return removed
        }
    }

    /// Purges need no hidden entry once every index has seen them.
    private func forgetHiddenEntries() throws(StorageError) {
        try change { (session) throws(StorageError) in
            var seen = try session.lastSequence()
            for name in try session.transaction.indexNames() {
                if let state = try session.transaction.indexState(name) { seen = min(seen, state.lastSequence) }
            }
            var any = false
            guard seen > 0 else { return }
            try session.transaction.orderedHiddenEntries(sequences: 1...seen) { (_, _) throws(StorageError) in
                any = true
                return false
            }
            guard any else { return }
            session.noteChange()
            try session.transaction.trimHiddenEntries(through: seen)
            // Observers in other processes may not have seen them yet.
            try session.transaction.setInfo(Array(String(seen).utf8), for: StoredChanges.forgottenKey)
        }
    }
}
