internal import StorageProtocol

extension WriteTransaction {
    /// Creates an index with this many rows, every tenth of which is long, and as many entries as it has documents.
    func makeIndex(_ name: String, rows: Int) throws(StorageError) {
        try makeIndex(name)
        var batch = IndexBatch()
        for number in 0..<rows {
            if number % 4 == 0 { batch.begin(try DocumentID("d\(number)"), sequence: 1) }
            let key = number % 10 == 0 ? [UInt8](repeating: 7, count: 1_500) : bytes("key")
            batch.add(IndexRow(key: key + bytes("\(number)"), keyJSON: bytes("\(number)"), valueJSON: nil))
        }
        var changes = RowChanges(recordsPositions: false)
        try replaceIndexRows(name, by: [batch], areNew: true, changes: &changes)
        for number in 0..<(rows / 4) { try putIndexEntry(name, key: bytes("\(number)"), value: bytes("1")) }
    }
}

extension StorageEngine {
    /// Reclaims to the end in the smallest steps, each a transaction.
    ///
    /// - Returns: The number of steps.
    func reclaimAll(
        between: (Int) throws(StorageError) -> Void = { (_) throws(StorageError) in }
    ) throws(StorageError) -> Int {
        var steps = 0
        while try write({ (tx) throws(StorageError) in try tx.reclaimDroppedIndexes(for: .zero) }) {
            steps += 1
            try between(steps)
        }
        return steps
    }

    func hasDroppedIndexes() throws(StorageError) -> Bool {
        try read { (tx) throws(StorageError) in try tx.hasDroppedIndexes() }
    }
}

extension Conformance {
    static let droppedIndexes: [ConformanceTest] = [
        ConformanceTest("DroppedIndexes", "a dropped index is gone at once, and its space by and by") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x", rows: 4_000)
                try tx.makeIndex("y", rows: 40)
            }
            let (rows, entries) = try engine.read { (tx) throws(StorageError) in
                (try tx.rows("y"), try tx.entries("y"))
            }
            context.equal(try engine.hasDroppedIndexes(), false, "nothing was dropped")
            let snapshot = try engine.beginRead()
            defer { snapshot.end() }
            context.equal(try snapshot.indexNames(), ["x", "y"], "a snapshot from before")
            try engine.write { (tx) throws(StorageError) in try tx.dropIndex("x") }
            let isLeft = try engine.hasDroppedIndexes()
            let steps = try engine.reclaimAll { (step) throws(StorageError) in
                guard step % 20 == 1 else { return }
                context.equal(try engine.hasDroppedIndexes(), true, "there is more")
                try engine.read { (tx) throws(StorageError) in
                    context.equal(try tx.indexNames(), ["y"], "nobody sees it")
                    context.equal(try tx.rows("y"), rows, "others stay as they are")
                }
            }
            context.expect(!isLeft || steps > 10, "4,000 rows go in many steps")
            context.equal(try engine.hasDroppedIndexes(), false, "nothing is left")
            context.equal(try snapshot.rows("x").count, 4_000, "a snapshot from before sees all rows to its end")
            context.equal(try snapshot.entries("x").count, 1_000, "and the blocks beside them")
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.rows("y"), rows, "others have their rows")
                context.equal(try tx.entries("y"), entries, "and their blocks")
            }
        },
        ConformanceTest("DroppedIndexes", "an index of the same name has nothing of the one before") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x", rows: 400)
                try tx.dropIndex("x")
                try tx.makeIndex("x", rows: 8)
                try tx.dropIndex("x")
                try tx.makeIndex("x", rows: 16)
                context.equal(try tx.rows("x").count, 16, "in the transaction itself")
            }
            let rows = try engine.read { (tx) throws(StorageError) in try tx.rows("x") }
            context.equal(rows.count, 16, "its own rows alone")
            _ = try engine.reclaimAll { (_) throws(StorageError) in
                context.equal(try engine.read { (tx) throws(StorageError) in try tx.rows("x") }, rows, "all the while")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.rows("x"), rows, "and afterwards")
                context.equal(try tx.indexState("x")?.rowCount, 16, "it counts its own")
                context.equal(try tx.indexedSequence("x", DocumentID("d12")), 1, "it knows its own documents")
                context.equal(try tx.indexedSequence("x", DocumentID("d16")), nil, "and no other")
            }
        },
        ConformanceTest("DroppedIndexes", "what was left is found after opening again", needs: .persistence) {
            context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.makeIndex("x", rows: 2_000) }
            try engine.write { (tx) throws(StorageError) in try tx.dropIndex("x") }
            let isLeft = try engine.hasDroppedIndexes()
            _ = try engine.write { (tx) throws(StorageError) in try tx.reclaimDroppedIndexes(for: .zero) }
            engine = try context.reopen(engine)
            context.equal(try engine.hasDroppedIndexes(), isLeft, "as before")
            _ = try engine.reclaimAll()
            engine = try context.reopen(engine)
            context.equal(try engine.hasDroppedIndexes(), false, "nothing is left")
            try engine.write { (tx) throws(StorageError) in try tx.makeIndex("x", rows: 8) }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.rows("x").count },
                8,
                "the name is free"
            )
        },
        ConformanceTest("DroppedIndexes", "a roll-back brings the index back, and reclaiming nothing writes nothing") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.makeIndex("x", rows: 100) }
            let transaction = try engine.beginWrite()
            try transaction.dropIndex("x")
            _ = try transaction.reclaimDroppedIndexes(for: .seconds(1))
            transaction.rollback()
            let before = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            context.equal(try engine.read { (tx) throws(StorageError) in try tx.rows("x").count }, 100, "it is back")
            let isMore = try engine.write { (tx) throws(StorageError) in
                try tx.reclaimDroppedIndexes(for: .seconds(1))
            }
            context.equal(isMore, false, "there is nothing to reclaim")
            let after = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            context.equal(after, before, "so nothing was written")
        },
    ]
}
