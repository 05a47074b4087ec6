internal import StorageEngineKit
internal import StorageProtocol
internal import Testing

/// Calls that write several keys of a map which refuses one of the values (413).
@Suite
struct RefusedValueTests {
    private static let large = [UInt8](repeating: 9, count: 400)

    private func draft(_ id: String, _ sequence: UInt64, _ body: RecordDraft.BodyChange) throws -> RecordDraft {
        RecordDraft(
            documentID: try DocumentID(id),
            flags: [],
            sequence: sequence,
            winner: try RevisionID("1-\(sequence)"),
            tree: [1],
            body: body
        )
    }

    /// An engine with a document that expires and has a row in an index.
    private func makeEngine() throws -> LimitedEngine {
        let engine = LimitedEngine(try LimitedEngineFactory(longestKey: 64), StorageOptions(create: true))
        let (first, batch) = (try draft("a", 1, .replace([1, 2])), try batch([("a", [7])]))
        try engine.write { (tx) throws(StorageError) in
            try tx.insert(first)
            try tx.setExpiration(5, of: first.documentID)
            try tx.setIndexState("index", IndexState(version: "", collationVersion: ""))
            var changes = RowChanges(recordsPositions: false)
            try tx.replaceIndexRows("index", by: [batch], areNew: true, changes: &changes)
        }
        return engine
    }

    private func batch(_ documents: [(id: String, value: [UInt8]?)]) throws -> IndexBatch {
        var batch = IndexBatch()
        for document in documents {
            batch.begin(try DocumentID(document.id), sequence: 2)
            if let value = document.value { batch.add(IndexRow(key: [1], keyJSON: [1], valueJSON: value)) }
        }
        return batch
    }

    /// Begins a transaction whose map takes no value above 300 bytes from now on.
    private func beginWrite(_ engine: LimitedEngine) throws -> LimitedWriteTransaction {
        let tx = try #require(try engine.beginWrite(patience: nil) as? LimitedWriteTransaction)
        tx.map.longestValue = 300
        return tx
    }

    private func code(_ body: () throws(StorageError) -> Void) -> StorageError.Code? {
        do throws(StorageError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    private func problems(_ engine: LimitedEngine) throws -> [String] {
        var problems: [String] = []
        try engine.verify { problems.append($0.message) }
        return problems
    }

    @Test("an update or an insert that is refused has changed nothing, and the transaction goes on")
    func leavesRecordsAsTheyWere() throws {
        let engine = try makeEngine()
        let tx = try beginWrite(engine)
        let before = tx.map.entries
        let changes: [RecordChange] = [
            .update(try draft("a", 2, .replace(Self.large))),
            .update(try draft("a", 2, .replaceKeepingOld(Self.large, oldSequence: 1))),
            .insert(try draft("b", 2, .replace(Self.large))),
        ]
        #expect(try tx.apply(changes).map { $0?.code } == [.tooLarge, .tooLarge, .tooLarge])
        #expect(tx.map.entries == before)
        #expect(try tx.apply([.insert(try draft("b", 2, .replace([3])))]).map { $0?.code } == [nil])
        try tx.commit()
        #expect(try engine.read { (tx) throws(StorageError) in try tx.counters().liveDocuments } == 2)
        #expect(try problems(engine) == [])
    }

    enum Half: CaseIterable {
        case record, rows, entries
    }

    @Test(
        "what is refused after a part of it was written dooms the transaction, which commits nothing",
        arguments: Half.allCases
    )
    func doomsWhatIsHalfDone(half: Half) throws {
        let long = try draft(String(repeating: "x", count: 400), 2, .replace([]))
        let batch = try batch([("a", nil), ("b", Self.large)])
        var entries = IndexEntries()
        append([1], to: &entries)
        append(Self.large, to: &entries)
        let engine = try makeEngine()
        let tx = try beginWrite(engine)
        let refusal = code { () throws(StorageError) in
            switch half {
            case .record: try tx.insert(long)
            case .rows:
                var changes = RowChanges(recordsPositions: false)
                try tx.replaceIndexRows("index", by: [batch], areNew: false, changes: &changes)
            case .entries: try tx.putIndexEntries("index", entries)
            }
        }
        #expect(refusal == .tooLarge)
        #expect(code { () throws(StorageError) in try tx.setInfo([1], for: "key") } == .storage)
        #expect(code { () throws(StorageError) in try tx.commit() } == .storage)
        #expect(try problems(engine) == [])
        try engine.write { (tx) throws(StorageError) in try tx.setInfo([1], for: "key") }
        #expect(try engine.read { (tx) throws(StorageError) in try tx.counters().liveDocuments } == 1)
    }

    private func append(_ value: [UInt8], to entries: inout IndexEntries) {
        unsafe entries.append(key: value.span.bytes, value: value.span.bytes)
    }
}
