internal import StorageProtocol

/// Reads everything in a snapshot, in one order, and copies it to a store that is being built, if there is one. Without
/// one, it only computes sums: a copy is complete if its sums equal those of what was written.
final class StoreTransfer {
    /// How many bytes are passed on between calls of `step`.
    private static let stepBytes = 1 << 20

    private let source: any ReadTransaction
    let sink: StoreSink?
    /// The names of attachments' contents in the copy, by their names in the source; nil: the names are the same.
    private let names: [String: String]?
    /// What the copy already has.
    private let present: StorePart
    private let indexKeeper: any IndexKeeper
    private let step: (StoreTransfer) throws(StorageError) -> Void
    private(set) var sums = StoreSums()
    /// Bytes of what was passed on, in the form in which it was passed on.
    private(set) var bytes: UInt64 = 0
    /// The sequence of the last record.
    private(set) var sequence: UInt64 = 0
    /// Indexes that the copy lacks.
    private(set) var omitted: Set<[UInt8]> = []
    private var untold = 0
    /// Over the IDs and sequences of all records, independent of their order.
    private var places: UInt64 = 0

    /// - Parameters:
    ///   - present: What the copy already has. It is included in the sums, but not written again.
    ///   - step: Called from time to time. If it throws, the transfer ends with that error.
    init(
        from source: any ReadTransaction,
        to sink: StoreSink?,
        names: [String: String]? = nil,
        after present: StorePart = StorePart(),
        indexKeeper: any IndexKeeper,
        step: @escaping (StoreTransfer) throws(StorageError) -> Void
    ) {
        self.source = source
        self.sink = sink
        self.names = names
        self.present = present
        self.indexKeeper = indexKeeper
        self.step = step
    }

    /// - Throws: `corrupt` (591) if the source cannot be read, or holds something that no store accepts; the errors of
    ///   the sink.
    func run() throws(StorageError) {
        sums.counters = try source.counters()
        do throws(StorageError) {
            try records()
            try documentIDs()
            try bodies()
            try hiddenEntries()
            try localDocuments()
            try expirations()
            try indexes()
            try info()
            try blobReferences()
            try finish()
        } catch {
            // If the source lists something that a store refuses, the source is damaged: an expiry without a document,
            // or a sequence that two documents have.
            switch error.code {
            case .notFound, .exists, .badParameter:
                throw .corrupt("The database holds what does not belong together; `check` names it")
            default: throw error
            }
        }
    }

    private func finish() throws(StorageError) {
        guard let sink else { return }
        let counters = sums.counters
        try sink.commit()
        try sink.write(bytes: 0) { (transaction) throws(StorageError) in try transaction.restore(counters) }
        try sink.commit()
    }

    /// Passes one item on.
    ///
    /// - Parameter isThere: Whether the copy has it already.
    private func pass(
        _ count: Int,
        isThere: Bool = false,
        _ body: (any WriteTransaction) throws(StorageError) -> Void
    ) throws(StorageError) {
        if !isThere { try sink?.write(bytes: count, body) }
        try note(count)
    }

    private func note(_ count: Int) throws(StorageError) {
        bytes += UInt64(count)
        untold += count + 64
        guard untold >= StoreTransfer.stepBytes else { return }
        untold = 0
        try step(self)
    }

    // MARK: - Documents

    private func records() throws(StorageError) {
        try source.orderedRecords(sequences: 0...UInt64.max, descending: false, fields: .all) {
            (record) throws(StorageError) in
            sequence = record.sequence
            sums.records.begin()
            record.withID { id in
                places ^= ByteHash.of(id, seed: record.sequence)
                sums.records.add(id)
            }
            sums.records.add(record.sequence)
            sums.records.add(UInt64(record.flags.rawValue))
            record.withWinner { sums.records.add($0) }
            var length = record.withTree { tree in
                sums.records.add(tree)
                return tree.byteCount
            }
            length += record.withBody { body in
                sums.records.add(body)
                return body.byteCount
            }
            let draft = try StoreTransfer.draft(of: record)
            try pass(length, isThere: record.sequence <= present.record) { (transaction) throws(StorageError) in
                try transaction.insert(draft)
            }
            return true
        }
    }

    private static func draft(of record: borrowing RecordView) throws(StorageError) -> RecordDraft {
        RecordDraft(
            documentID: try record.documentID(),
            flags: record.flags,
            sequence: record.sequence,
            winner: try record.winnerID(),
            tree: record.withTree { tree in unsafe tree.withUnsafeBytes { unsafe Array($0) } },
            body: .replace(record.bodyCopy())
        )
    }

    /// What is listed by ID must be what is listed by sequence, because a document that is not listed by sequence would
    /// be lost.
    private func documentIDs() throws(StorageError) {
        var (count, sum): (UInt64, UInt64) = (0, 0)
        try source.orderedRecords(in: .all, descending: false, fields: .metadata) { (record) throws(StorageError) in
            count += 1
            sum ^= record.withID { ByteHash.of($0, seed: record.sequence) }
            return true
        }
        guard count == sums.records.count, sum == places else {
            throw .corrupt("Documents are not listed alike by their IDs and by their sequences; `check` names them")
        }
    }

    private func bodies() throws(StorageError) {
        try source.orderedRevisionBodies { (sequence, owner, json) throws(StorageError) in
            sums.bodies.begin()
            sums.bodies.add(sequence)
            sums.bodies.add(owner)
            sums.bodies.add(json)
            try pass(json.byteCount, isThere: sequence <= present.body) { (transaction) throws(StorageError) in
                try transaction.putRevisionBody(json, at: sequence, owner: owner)
            }
            return true
        }
    }

    private func hiddenEntries() throws(StorageError) {
        try source.orderedHiddenEntries(sequences: 0...UInt64.max) { (sequence, id) throws(StorageError) in
            sums.hiddenEntries.begin()
            sums.hiddenEntries.add(sequence)
            sums.hiddenEntries.add(id)
            try pass(id.string.utf8.count, isThere: sequence <= present.hiddenEntry) {
                (transaction) throws(StorageError) in
                try transaction.hide(id, at: sequence)
            }
            return true
        }
    }

    private func localDocuments() throws(StorageError) {
        try source.orderedLocalDocuments { (id, revision, json) throws(StorageError) in
            sums.localDocuments.begin()
            sums.localDocuments.add(id)
            sums.localDocuments.add(revision)
            sums.localDocuments.add(json)
            try pass(json.byteCount + id.string.utf8.count) { (transaction) throws(StorageError) in
                try transaction.putLocalDocument(id, revision: revision, json: json)
            }
            return true
        }
    }

    private func expirations() throws(StorageError) {
        var last: (time: Int64, id: DocumentID)?
        try source.expirations(through: .max) { (time, id) throws(StorageError) in
            if let last, (last.time, last.id) >= (time, id) { throw .outOfOrder("expirations") }
            last = (time, id)
            sums.expirations.begin()
            sums.expirations.add(UInt64(bitPattern: time))
            sums.expirations.add(id)
            try pass(id.string.utf8.count) { (transaction) throws(StorageError) in
                try transaction.setExpiration(time, of: id)
            }
            return true
        }
    }

    // MARK: - Indexes

    private func indexes() throws(StorageError) {
        omitted = sink == nil ? [] : try indexKeeper.unfinishedIndexes(in: source)
        for name in try source.indexNames() where !omitted.contains(Array(name.utf8)) {
            guard let state = try source.indexState(name) else { throw .corrupt("An index is named and has no state") }
            // Rows of an index that is being filled are not consistent yet.
            guard sink == nil || !state.isFilling else {
                omitted.insert(Array(name.utf8))
                continue
            }
            let earlier = present.indexes[Array(name.utf8)]
            guard let sink, earlier != state else {
                sums.indexes.append(try index(name, state, to: nil))
                continue
            }
            if earlier != nil {
                // The earlier transfer of this index was not finished.
                try sink.commit()
                try sink.dropIndex(name)
            }
            // Committed now, so that an index that the store refuses does not take anything else with it.
            try sink.commit()
            do throws(StorageError) {
                let index = try index(name, state, to: sink)
                try sink.commit()
                sums.indexes.append(index)
            } catch {
                // Only what this store cannot hold, or does not do: such an index is left out and named as omitted. All
                // other errors are those of the transfer.
                guard error.code == .tooLarge || error.code == .notImplemented else { throw error }
                sink.cancel()
                omitted.insert(Array(name.utf8))
                try sink.dropIndex(name)
            }
        }
    }

    private func index(
        _ name: String,
        _ state: IndexState,
        to sink: StoreSink?
    ) throws(StorageError) -> StoreSums.Index {
        var copy = IndexTransfer(name, state, to: sink) { (count) throws(StorageError) in try self.note(count) }
        return try copy.run(from: source)
    }

    // MARK: - Values

    private func info() throws(StorageError) {
        for (key, value) in try source.allInfo() {
            let left = omitted.isEmpty ? value : try indexKeeper.info(key, value, without: omitted)
            guard let kept = left else { continue }
            sums.info.begin()
            sums.info.add(Array(key.utf8))
            sums.info.add(kept)
            try pass(key.utf8.count + kept.count) { (transaction) throws(StorageError) in
                try transaction.setInfo(kept, for: key)
            }
        }
    }

    private func blobReferences() throws(StorageError) {
        try source.orderedBlobReferences { (reference) throws(StorageError) in
            guard let reference = try renamed(reference) else { return true }
            sums.blobReferences.begin()
            sums.blobReferences.add(reference.digest)
            sums.blobReferences.add(Array(reference.storageName.utf8))
            sums.blobReferences.add(reference.length)
            sums.blobReferences.add(reference.count)
            try pass(reference.storageName.utf8.count) { (transaction) throws(StorageError) in
                try transaction.setBlobReference(reference)
            }
            return true
        }
    }

    /// Returns the reference as the copy has it; nil if it has none, because nothing refers to the content and it was
    /// not transferred.
    private func renamed(_ reference: BlobReference) throws(StorageError) -> BlobReference? {
        guard let names else { return reference }
        guard reference.count > 0 else { return nil }
        guard let name = names[reference.storageName] else {
            throw StorageError(.unexpected, "The content of an attachment was not brought.")
        }
        var other = reference
        other.storageName = name
        return other
    }
}
