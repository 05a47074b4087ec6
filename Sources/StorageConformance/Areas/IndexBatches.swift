internal import StorageProtocol

extension IndexBatch {
    /// Adds a document with a row for each key. The JSON texts are made from the keys.
    fileprivate mutating func put(_ id: String, at sequence: UInt64, _ keys: [[UInt8]]) throws(StorageError) {
        begin(try DocumentID(id), sequence: sequence)
        for (emit, key) in keys.enumerated() {
            add(IndexRow(key: key, keyJSON: bytes("\(key.count)"), valueJSON: emit == 1 ? nil : bytes("\(emit)")))
        }
    }

    fileprivate mutating func put(_ id: String, at sequence: UInt64, _ keys: [String]) throws(StorageError) {
        try put(id, at: sequence, keys.map { bytes($0) })
    }
}

extension WriteTransaction {
    /// Replaces the rows of the documents in `batches`.
    ///
    /// - Returns: How many documents have different rows than before, and the positions that changed, sorted.
    @discardableResult
    fileprivate func replace(
        _ batches: IndexBatch...,
        areNew: Bool = false
    ) throws(StorageError) -> (documents: Int, positions: [String]) {
        var changes = RowChanges(recordsPositions: true)
        try replaceIndexRows("x", by: batches, areNew: areNew, changes: &changes)
        var positions: [String] = []
        changes.forEach { key, id, emit in positions.append(text(key) + " " + text(id) + " \(emit)") }
        return (changes.documents, positions.sorted())
    }
}

extension Conformance {
    static let indexBatches: [ConformanceTest] = [
        ConformanceTest("IndexBatches", "one call takes the rows of many documents in any order, in many batches") {
            context in
            for areNew in [true, false] {
                let engine = try context.open()
                var expected: [(key: Int, id: String, emit: Int)] = []
                var batches = [IndexBatch(), IndexBatch(), IndexBatch(), IndexBatch()]
                for number in 0..<500 {
                    let id = "d\(number * 311 % 500)"
                    let keys = (0..<(number % 4)).map { number * 7919 % 101 + $0 * 13 }
                    try batches[number % 3].put(id, at: UInt64(number + 1), keys.map { [1, UInt8($0)] })
                    for (emit, key) in keys.enumerated() { expected.append((key, id, emit)) }
                }
                expected.sort { ($0.key, $0.id, $0.emit) < ($1.key, $1.id, $1.emit) }
                try engine.write { (tx) throws(StorageError) in
                    try tx.makeIndex("x")
                    var changes = RowChanges(recordsPositions: false)
                    changes.documents = 3
                    try tx.replaceIndexRows("x", by: batches, areNew: areNew, changes: &changes)
                    context.equal(changes.documents, 3 + 375, "documents with rows, added to what was counted before")
                    context.equal(changes.positionCount, 0, "no positions where none are wanted")
                    context.equal(try tx.indexState("x")?.rowCount, UInt64(expected.count), "the count, inside")
                }
                try engine.read { (tx) throws(StorageError) in
                    var found: [String] = []
                    try tx.indexRows("x", in: .all, descending: false) { (row) throws(StorageError) in
                        let key = row.withKey { Array(copying: $0)[1] }
                        found.append("\(key) " + row.withID { text($0) } + " \(row.emit)")
                        return true
                    }
                    context.equal(found, expected.map { "\($0) \($1) \($2)" }, "all rows, areNew: \(areNew)")
                    context.equal(try tx.indexState("x")?.rowCount, UInt64(expected.count), "the count")
                    for number in [1, 2, 498] {
                        let id = try DocumentID("d\(number * 311 % 500)")
                        context.equal(try tx.indexedSequence("x", id), UInt64(number + 1), "each has its sequence")
                    }
                    context.equal(try tx.indexedSequence("x", DocumentID("d0")), nil, "but not one without rows")
                }
                context.checkSound(engine, "after many documents")
                try engine.write { (tx) throws(StorageError) in
                    var positions = 0
                    for batch in batches { positions += try tx.replace(batch).positions.count }
                    context.equal(positions, 0, "all of them are found again, unchanged")
                }
            }
        },
        ConformanceTest("IndexBatches", "new documents go among those that are there, before, between and behind") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                for round in 0..<4 {
                    var batch = IndexBatch()
                    for number in 0..<50 {
                        let id = "d\(1_000 + (round * 37 + number * 4 + round) % 200)-\(round)"
                        try batch.put(id, at: 1, ["k\(100 + number * (round + 1))"])
                    }
                    let changes = try tx.replace(batch, areNew: true)
                    context.equal(changes.documents, 50, "all new")
                    context.equal(changes.positions.count, 50, "and told")
                }
                let keys = try tx.rows("x")
                context.equal(keys.count, 200, "all rows")
                context.equal(keys, keys.sorted(), "in order")
            }
            context.checkSound(engine, "after new documents")
        },
        ConformanceTest("IndexBatches", "documents change, come and go among many") { context in
            let engine = try context.open()
            var expected: [String: [String]] = [:]
            try engine.write { (tx) throws(StorageError) in try tx.makeIndex("x") }
            for round in 0..<8 {
                // The first documents, then fewer and fewer of them, with others between, at both ends, and none.
                var batch = IndexBatch()
                var changed: Set<String> = []
                for number in stride(from: round, to: 1_000, by: 1 + round * 9) {
                    let id = "d\(1_000 + (round > 0 && number % 3 == 0 ? number * 7 % 1_200 - 100 : number))"
                    guard changed.insert(id).inserted else { continue }
                    let keys = round > 0 && number % 5 == 0 ? [] : ["k\(number % 100)", "r\(round)"]
                    try batch.put(id, at: UInt64(round + 1), keys)
                    expected[id] = keys.isEmpty ? nil : keys
                }
                try engine.write { (tx) throws(StorageError) in try tx.replace(batch) }
                var found: [String: [String]] = [:]
                var last = ""
                try engine.read { (tx) throws(StorageError) in
                    try tx.indexDocuments("x", after: nil) { (document) throws(StorageError) in
                        let id = try document.documentID().string
                        context.expect(last < id, "in order")
                        last = id
                        found[id] = (0..<document.rowCount).map { emit in document.withKey(emit) { text($0) } }
                        return true
                    }
                    let rows = UInt64(expected.values.reduce(0) { $0 + $1.count })
                    context.equal(try tx.indexState("x")?.rowCount, rows, "the count")
                    for id in ["d1000", "d1007", "d1500"] {
                        let sequence = try tx.indexedSequence("x", DocumentID(id))
                        context.equal(sequence != nil, expected[id] != nil, "whether it is there")
                        var next: String?
                        try tx.indexDocuments("x", after: DocumentID(id)) { (document) throws(StorageError) in
                            next = try document.documentID().string
                            return false
                        }
                        context.equal(next, expected.keys.filter { $0 > id }.min(), "the next one")
                    }
                }
                context.equal(found, expected, "the documents with their keys")
                context.checkSound(engine, "after changes")
            }
        },
        ConformanceTest("IndexBatches", "what changed is told: documents and positions, each once") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                var batch = IndexBatch()
                try batch.put("a", at: 1, ["k", "l", "m"])
                try batch.put("b", at: 2, ["k"])
                try batch.put("c", at: 3, ["k", "k"])
                try batch.put("none", at: 4, [String]())
                let first = try tx.replace(batch, areNew: true)
                context.equal(first.documents, 3, "documents that have rows")
                context.equal(first.positions, ["k a 0", "k b 0", "k c 0", "k c 1", "l a 1", "m a 2"], "all rows")
            }
            try engine.write { (tx) throws(StorageError) in
                var batch = IndexBatch()
                try batch.put("b", at: 12, ["k"])
                try batch.put("a", at: 11, ["k", "z"])
                var other = IndexBatch()
                try other.put("new", at: 14, ["k"])
                try other.put("c", at: 13, [String]())
                try other.put("none", at: 15, [String]())
                let second = try tx.replace(batch, other)
                context.equal(second.documents, 3, "a, c and new")
                let places = ["k c 0", "k c 1", "k new 0", "l a 1", "m a 2", "z a 1"]
                context.equal(second.positions, places, "a key that changed has two places; what is as before has none")
                let rows = [#"k a 0 1 0"#, #"k b 0 1 0"#, #"k new 0 1 0"#, #"z a 1 1 -"#]
                context.equal(try tx.rows("x"), rows, "the rows")
                let sequences = try ["a", "b", "c", "new", "none"].map { (id) throws(StorageError) in
                    try tx.indexedSequence("x", try DocumentID(id))
                }
                context.equal(sequences, [11, 12, nil, 14, nil], "sequences, those of unchanged rows too")
            }
            try engine.write { (tx) throws(StorageError) in
                var batch = IndexBatch()
                batch.begin(DocumentID("b"), sequence: 20)
                batch.add(IndexRow(key: bytes("k"), keyJSON: bytes("1"), valueJSON: bytes("other")))
                let third = try tx.replace(batch)
                context.equal(third.positions, ["k b 0"], "another value changes one place")
            }
            context.checkSound(engine, "after changes")
        },
        ConformanceTest("IndexBatches", "a call that finds all as it was writes nothing") { context in
            let engine = try context.open()
            var batch = IndexBatch()
            try batch.put("a", at: 1, ["k", "l"])
            try batch.put("none", at: 1, [String]())
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                try tx.replace(batch)
            }
            let before = try engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
            for areNew in [false, true] {
                try engine.write { (tx) throws(StorageError) in
                    try tx.replace(areNew ? IndexBatch() : batch, areNew: areNew)
                }
            }
            let same = try engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
            context.equal(same, before, "the change counter stays")
            batch.removeAll()
            try batch.put("a", at: 2, ["k", "l"])
            try engine.write { (tx) throws(StorageError) in try tx.replace(batch) }
            let after = try engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
            context.expect(after > before, "a new sequence is written")
        },
        ConformanceTest("IndexBatches", "a batch that is filled again, cancelled or empty gives what it holds") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                var batch = IndexBatch()
                context.equal(try tx.replace(batch).documents, 0, "nothing")
                try batch.put("a", at: 1, ["k", "l"])
                try batch.put("b", at: 1, ["k", "l"])
                batch.cancel()
                try batch.put("c", at: 1, ["m"])
                context.equal([batch.documentCount, batch.rowCount], [3, 3], "a, b without rows, c")
                let copy = batch
                batch.removeAll()
                context.equal([batch.documentCount, batch.rowCount, batch.byteCount], [0, 0, 0], "empty")
                try batch.put("a", at: 2, ["m"])
                context.equal(try tx.replace(copy).positions, ["k a 0", "l a 1", "m c 0"], "a copy is as it was")
                context.equal(try tx.replace(batch).positions, ["k a 0", "l a 1", "m a 0"], "and the filled one too")
            }
        },
        ConformanceTest("IndexBatches", "long keys and IDs, equal keys and empty ones go in and out in one call") {
            context in
            let engine = try context.open()
            let stem = [UInt8](repeating: 0x7F, count: 5_000)
            let long = String(repeating: "long/", count: 2_000)
            let keys: [[UInt8]] = [[], stem + [1], [0], stem, [], stem + [0], [0xFF], [0], stem]
            let ids = ["a", long, long + "1", "b"]
            var expected: [(key: [UInt8], id: String, emit: Int)] = []
            for id in ids { for (emit, key) in keys.enumerated() { expected.append((key, id, emit)) } }
            expected.sort { a, b in
                let order = compareBytes(a.key, b.key)
                return order != 0 ? order < 0 : (a.id, a.emit) < (b.id, b.emit)
            }
            for areNew in [true, false] {
                try engine.write { (tx) throws(StorageError) in
                    try tx.makeIndex("x")
                    var batch = IndexBatch()
                    for id in ids { try batch.put(id, at: 7, keys) }
                    context.equal(try tx.replace(batch, areNew: areNew).positions.count, 36, "all are new")
                    context.equal(try tx.replace(batch).positions, [], "and known again")
                    var found: [(key: [UInt8], id: String, emit: Int)] = []
                    try tx.indexRows("x", in: .all, descending: false) { (row) throws(StorageError) in
                        found.append((row.withKey { Array(copying: $0) }, row.withID { text($0) }, Int(row.emit)))
                        return true
                    }
                    context.expect(found.elementsEqual(expected) { $0 == $1 }, "all rows in order")
                    batch.removeAll()
                    for id in ids { try batch.put(id, at: 8, [stem]) }
                    context.equal(try tx.replace(batch).documents, 4, "all but one leave each document")
                    context.equal(try tx.indexState("x")?.rowCount, 4, "the count")
                    batch.removeAll()
                    for id in ids { try batch.put(id, at: 9, [String]()) }
                    context.equal(try tx.replace(batch).documents, 4, "and the last")
                    context.equal(try tx.rows("x"), [], "nothing is left")
                }
                context.checkSound(engine, "after long keys")
            }
        },
    ]
}
