internal import StorageProtocol

extension Conformance {
    static let indexCopies: [ConformanceTest] = [
        ConformanceTest("IndexCopies", "documents are listed by ID, with their sequences and keys, from any of them on")
        {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                try tx.makeIndex("other")
                try tx.emit("other", "a", at: 9, ["z"])
                try tx.emit("x", "b", at: 2, ["k", "j"])
                try tx.emit("x", "B", at: 1, ["k"])
                try tx.emit("x", "caf\u{E9}", at: 4, ["", "k"])
                try tx.emit("x", "bb", at: 3, ["k"])
                try tx.emit("x", "bb", at: 5, [])
            }
            try engine.read { (tx) throws(StorageError) in
                func list(after id: String?, limit: Int = .max) throws(StorageError) -> [String] {
                    var lines: [String] = []
                    let after: DocumentID? = if let id { try DocumentID(id) } else { nil }
                    try tx.indexDocuments("x", after: after) { (document) throws(StorageError) in
                        let keys = (0..<document.rowCount).map { emit in document.withKey(emit) { text($0) } }
                        lines.append("\(try document.documentID()) \(document.sequence) \(keys)")
                        return lines.count < limit
                    }
                    return lines
                }
                let all = ["B 1 [\"k\"]", "b 2 [\"k\", \"j\"]", "caf\u{E9} 4 [\"\", \"k\"]"]
                context.equal(try list(after: nil), all, "all, without those that have no rows")
                context.equal(try list(after: nil, limit: 1), Array(all[..<1]), "until the closure returns false")
                context.equal(try list(after: "B"), Array(all[1...]), "behind one")
                context.equal(try list(after: "a"), Array(all[1...]), "behind one that is not there")
                context.equal(try list(after: "d"), [], "behind all")
                context.fails(.notFound, "of no index") { () throws(StorageError) in
                    try tx.indexDocuments("none", after: nil) { _ in true }
                }
            }
        },
        ConformanceTest("IndexCopies", "an index that is filled in order with what another one has is equal to it") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                for number in 0..<400 {
                    let long = number % 40 == 7 ? String(repeating: "long", count: 500) : ""
                    let keys = (0..<(number % 4)).map { "\(long)\(number * 31 % 17)\($0)" }
                    try tx.emit("x", "d\(number * 7 % 400)", at: UInt64(number + 1), keys)
                }
            }
            let snapshot = try engine.beginRead()
            defer { snapshot.end() }
            for (name, atATime) in [("few", 7), ("many", 1_000)] {
                try engine.write { (tx) throws(StorageError) in
                    try tx.fill(name, from: snapshot, "x", atATime: atATime)
                }
                try engine.read { (tx) throws(StorageError) in
                    context.equal(try tx.rows(name), try snapshot.rows("x"), "the same rows (\(name))")
                    context.equal(try tx.indexState(name), try snapshot.indexState("x"), "the same state (\(name))")
                    let known = try tx.indexedSequence(name, DocumentID("d1"))
                    context.equal(known, try snapshot.indexedSequence("x", DocumentID("d1")), "the sequences (\(name))")
                }
                // It behaves like an index that was made from its documents: the same content is not a change.
                try engine.write { (tx) throws(StorageError) in
                    context.equal(try tx.emit(name, "d21", at: 900, ["a"]), true, "another row is a change")
                    context.equal(try tx.emit(name, "d21", at: 901, ["a"]), false, "the same one is none")
                    let lines = try tx.rows(name).filter { $0.contains(" d21 ") }
                    context.equal(lines.count, 1, "its old rows are gone (\(name))")
                }
            }
        },
        ConformanceTest("IndexCopies", "what is not in order fills no index") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                for (id, key) in [("a", "2"), ("b", "1"), ("c", "1")] { try tx.emit("x", id, at: 1, [key]) }
            }
            try engine.read { (tx) throws(StorageError) in
                var backwards = IndexBatch()
                var twice = IndexBatch()
                try tx.indexRows("x", in: .all, descending: true) { (row) throws(StorageError) in
                    backwards.add(row)
                    return true
                }
                try tx.indexDocuments("x", after: nil) { (document) throws(StorageError) in
                    twice.add(document)
                    twice.add(document)
                    return true
                }
                context.fails(.badParameter, "rows backwards") { () throws(StorageError) in
                    _ = try IndexLoad(sortedRows: backwards)
                }
                context.fails(.badParameter, "documents twice") { () throws(StorageError) in
                    _ = try IndexLoad(sortedDocuments: twice)
                }
            }
        },
        ConformanceTest(
            "IndexCopies",
            "an index that keeps no sequences says so, and writes nothing for what stays the same"
        ) {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.setIndexState("x", IndexState(version: "1", collationVersion: "1", keepsSequences: false))
                try tx.emit("x", "a", at: 1, ["k"])
            }
            let before = try engine.read { (tx) throws(StorageError) in try tx.counters().changeCounter }
            let change = try engine.write { (tx) throws(StorageError) in try tx.emit("x", "a", at: 2, ["k"]) }
            context.equal(change, false, "the same row is no change")
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.counters().changeCounter, before, "and nothing was written")
                context.equal(try tx.indexState("x")?.keepsSequences, false, "its state says so")
                context.fails(.notImplemented, "a document's sequence") { () throws(StorageError) in
                    _ = try tx.indexedSequence("x", DocumentID("a"))
                }
                try tx.indexRows("x", in: .all, descending: false) { (row) throws(StorageError) in
                    context.equal(row.withKey { text($0) }, "k", "the row is there")
                    context.fails(.notImplemented, "a row's sequence") { () throws(StorageError) in
                        _ = try row.sequence()
                    }
                    return true
                }
            }
            try engine.write { (tx) throws(StorageError) in
                context.fails(.badParameter, "to keep them from now on") { () throws(StorageError) in
                    try tx.setIndexState("x", IndexState(version: "1", collationVersion: "1"))
                }
                context.equal(try tx.indexState("x")?.keepsSequences, false, "it stays as it is")
            }
        },
    ]
}
