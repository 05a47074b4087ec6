internal import StorageProtocol

extension WriteTransaction {
    /// Replaces a document's rows. `keys` are the sort keys, and the JSON texts are made from them.
    ///
    /// - Returns: Whether any row differs from before.
    @discardableResult
    func emit(_ index: String, _ id: String, at sequence: UInt64, _ keys: [String]) throws(StorageError) -> Bool {
        let rows = keys.enumerated().map { number, key in
            IndexRow(key: bytes(key), keyJSON: bytes("\"\(key)\""), valueJSON: number == 1 ? nil : bytes("\(number)"))
        }
        return try replaceIndexRows(index, of: try DocumentID(id), sequence: sequence, rows: rows)
    }

    func makeIndex(_ name: String) throws(StorageError) {
        try setIndexState(name, IndexState(version: "1", collationVersion: "c1"))
    }
}

extension Conformance {
    static let indexes: [ConformanceTest] = [
        ConformanceTest("Indexes", "an index is made by its state, which is kept; the row count is the store's") {
            context in
            let engine = try context.open()
            let made = IndexState(
                version: "v1",
                collationVersion: "c1",
                lastSequence: 7,
                lastChangedSequence: 5,
                rowCount: 99
            )
            try engine.write { (tx) throws(StorageError) in
                context.equal(try tx.indexState("x"), nil, "no index yet")
                try tx.setIndexState("x", made)
                try tx.makeIndex("a")
                context.equal(try tx.indexState("x")?.rowCount, 0, "a new index has no rows, whatever the state says")
            }
            try engine.read { (tx) throws(StorageError) in
                var expected = made
                expected.rowCount = 0
                context.equal(try tx.indexState("x"), expected, "the state as it was set")
                context.equal(try tx.indexNames(), ["a", "x"], "names in order")
                context.equal(try tx.rows("x"), [], "no rows")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.add("d")
                try tx.emit("x", "d", at: 1, ["k", "l"])
                try tx.setIndexState("x", IndexState(version: "v2", collationVersion: "c2", lastSequence: 8))
            }
            try engine.read { (tx) throws(StorageError) in
                let state = IndexState(version: "v2", collationVersion: "c2", lastSequence: 8, rowCount: 2)
                context.equal(try tx.indexState("x"), state, "a state set again keeps the rows and their count")
            }
        },
        ConformanceTest("Indexes", "rows come by key, then document ID, then emit number") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                for name in ["b", "a", "ab"] { try tx.add(name) }
                try tx.emit("x", "b", at: 1, ["k", "a", "k"])
                try tx.emit("x", "a", at: 2, ["k"])
                try tx.emit("x", "ab", at: 3, ["ka", "k"])
                let all = [
                    #"a b 1 "a" -"#, #"k a 0 "k" 0"#, #"k ab 1 "k" -"#, #"k b 0 "k" 0"#, #"k b 2 "k" 2"#,
                    #"ka ab 0 "ka" 0"#,
                ]
                context.equal(try tx.rows("x"), all, "inside the transaction")
            }
            try engine.read { (tx) throws(StorageError) in
                let all = try tx.rows("x")
                context.equal(all.count, 6, "all rows")
                context.equal(try tx.rows("x", descending: true), all.reversed(), "backwards")
                context.equal(try tx.rows("x", limit: 2), Array(all.prefix(2)), "until the closure returns false")
                context.equal(try tx.indexState("x")?.rowCount, 6, "the count")
            }
        },
        ConformanceTest("Indexes", "replacing rows adds, changes and removes; the same rows are no change") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                try tx.add("d")
                try tx.add("e")
                let first = try tx.emit("x", "d", at: 1, ["k", "l"])
                context.equal(first, true, "new rows")
                try tx.emit("x", "e", at: 2, ["k"])
            }
            try engine.write { (tx) throws(StorageError) in
                let same = try tx.emit("x", "d", at: 1, ["k", "l"])
                context.equal(same, false, "the same rows")
                try tx.change("d")
                let later = try tx.emit("x", "d", at: 3, ["k", "l"])
                context.equal(later, false, "the same rows of a later revision")
                context.equal(try tx.indexedSequence("x", DocumentID("d")), 3, "yet the document is indexed at it")
                let other = try tx.emit("x", "d", at: 3, ["l", "m"])
                context.equal(other, true, "other rows")
            }
            try engine.read { (tx) throws(StorageError) in
                let rows = [#"k e 0 "k" 0"#, #"l d 0 "l" 0"#, #"m d 1 "m" -"#]
                context.equal(try tx.rows("x"), rows, "only the new rows of d")
                context.equal(try tx.indexState("x")?.rowCount, 3, "the count follows")
            }
            try engine.write { (tx) throws(StorageError) in
                let fewer = try tx.emit("x", "d", at: 3, ["l"])
                context.equal(fewer, true, "fewer rows")
                let none = try tx.emit("x", "d", at: 3, [])
                context.equal(none, true, "no rows")
                let again = try tx.emit("x", "d", at: 3, [])
                context.equal(again, false, "no rows again")
                context.equal(try tx.indexedSequence("x", DocumentID("d")), nil, "the document has left the index")
                context.equal(try tx.indexState("x")?.rowCount, 1, "the count follows")
            }
        },
        ConformanceTest("Indexes", "a change of key text, value or value's absence alone is a change") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                try tx.add("d")
                let id = DocumentID("d")
                let rows: [(String, String?)] = [
                    ("1", "1"), ("1.0", "1"), ("1.0", "2"), ("1.0", nil), ("1.0", "null"), ("1.0", ""),
                ]
                for (keyJSON, valueJSON) in rows {
                    let row = IndexRow(key: [1], keyJSON: bytes(keyJSON), valueJSON: valueJSON.map(bytes))
                    let result = try tx.replaceIndexRows("x", of: id, sequence: 1, rows: [row])
                    context.equal(result, true, "\(keyJSON): \(valueJSON ?? "none") differs from before")
                    let again = try tx.replaceIndexRows("x", of: id, sequence: 1, rows: [row])
                    context.equal(again, false, "\(keyJSON): \(valueJSON ?? "none") is the same")
                    try tx.indexRows("x", in: .all, descending: false) { (view) throws(StorageError) in
                        context.equal(view.withValueJSON { text($0) }, valueJSON, "the value is as it was emitted")
                        context.equal(view.withKeyJSON { text($0) }, keyJSON, "and so is the key's text")
                        context.equal(try view.sequence(), 1, "the row knows its document's sequence")
                        return true
                    }
                }
            }
        },
        ConformanceTest("Indexes", "rows are taken whatever has become of their document") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                try tx.add("d")
                try tx.emit("x", "d", at: 1, ["old"])
                try tx.change("d")
                context.equal(try tx.emit("x", "d", at: 1, ["new"]), true, "rows of a sequence that has passed")
                context.equal(try tx.rows("x"), [#"new d 0 "new" 0"#], "they are stored")
                context.equal(try tx.indexedSequence("x", DocumentID("d")), 1, "under that sequence")
                try tx.purge("d")
                context.equal(try tx.rows("x").count, 1, "a purge leaves rows where they are")
                context.equal(try tx.emit("x", "d", at: 3, []), true, "the purged document leaves")
                context.equal(try tx.rows("x"), [], "its rows are gone")
            }
        },
        ConformanceTest("Indexes", "rows of an index that does not exist are notFound (404)") { context in
            let engine = try context.open()
            let transaction = try engine.beginRead()
            context.fails(.notFound, "reading them") { () throws(StorageError) in _ = try transaction.rows("x") }
            transaction.end()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("d")
                context.fails(.notFound, "writing them") { () throws(StorageError) in
                    try tx.emit("x", "d", at: 1, ["k"])
                }
                context.fails(.notFound, "an entry") { () throws(StorageError) in
                    try tx.putIndexEntry("x", key: [1], value: [2])
                }
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.indexState("x"), nil, "its state is nil")
                context.equal(try tx.indexNames(), [], "a refusal makes no index")
                context.equal(try tx.ids(), ["d"], "nor does it doom")
            }
        },
        ConformanceTest("Indexes", "dropping an index removes all of it, and no other") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("d")
                for name in ["x", "y"] {
                    try tx.makeIndex(name)
                    try tx.emit(name, "d", at: 1, ["k"])
                    try tx.putIndexEntry(name, key: bytes("s"), value: bytes(name))
                }
                try tx.dropIndex("x")
                try tx.dropIndex("never")
                context.equal(try tx.indexNames(), ["y"], "seen by the transaction itself")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.indexState("x"), nil, "no state")
                context.equal(try tx.rows("y").count, 1, "the other's rows stay")
                context.equal(try tx.entries("y"), ["s y"], "and its entries")
            }
            try engine.write { (tx) throws(StorageError) in try tx.makeIndex("x") }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.rows("x"), [], "made again, it has no rows")
                context.equal(try tx.entries("x"), [], "and no entries")
                context.equal(try tx.indexedSequence("x", DocumentID("d")), nil, "and knows no document")
                context.equal(try tx.indexState("x")?.rowCount, 0, "and counts none")
            }
        },
        ConformanceTest("Indexes", "entries are put, replaced, found, listed by key and removed by range") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                for key in ["c", "a", "d", "b"] { try tx.putIndexEntry("x", key: bytes(key), value: bytes("1")) }
                try tx.putIndexEntry("x", key: bytes("b"), value: bytes("2"))
                try tx.putIndexEntry("x", key: [], value: [])
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.indexEntry("x", key: bytes("b")), bytes("2"), "the last one put")
                context.equal(try tx.indexEntry("x", key: []), [], "an empty key and value")
                context.equal(try tx.indexEntry("x", key: bytes("z")), nil, "none")
                context.equal(try tx.entries("x"), [" ", "a 1", "b 2", "c 1", "d 1"], "all, by key")
                let range = ByteRange(lower: .excluding(bytes("a")), upper: .including(bytes("c")))
                context.equal(try tx.entries("x", range), ["b 2", "c 1"], "a range")
                context.equal(try tx.entries("x", limit: 2), [" ", "a 1"], "until the closure returns false")
                let all = try tx.entries("x", descending: true)
                context.equal(all, ["d 1", "c 1", "b 2", "a 1", " "], "all, backwards")
                context.equal(try tx.entries("x", range, descending: true), ["c 1", "b 2"], "a range, backwards")
                context.equal(try tx.entries("x", descending: true, limit: 1), ["d 1"], "only the last")
            }
            try engine.write { (tx) throws(StorageError) in
                let range = ByteRange(lower: .including(bytes("a")), upper: .excluding(bytes("c")))
                try tx.removeIndexEntries("x", in: range)
                context.equal(try tx.entries("x"), [" ", "c 1", "d 1"], "a range removed")
                try tx.removeIndexEntries("x", in: .all)
                context.equal(try tx.entries("x"), [], "all removed")
            }
        },
        ConformanceTest("Indexes", "keys of all byte values and up to 1 MiB are kept and sorted by all their bytes") {
            context in
            let engine = try context.open()
            let stem = [UInt8](repeating: 0x7F, count: (1 << 20) - 1)
            let keys: [[UInt8]] =
                [[]] + (0...255).map { [$0] } + [[0, 0], [255, 255], stem + [0], stem + [1], stem + [255]]
            let sorted = keys.sorted { compareBytes($0, $1) < 0 }
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                try tx.add("d")
                let rows = keys.map { IndexRow(key: $0, keyJSON: bytes("\($0.count)"), valueJSON: nil) }
                let result = try tx.replaceIndexRows("x", of: DocumentID("d"), sequence: 1, rows: rows)
                context.equal(result, true, "all accepted")
                let again = try tx.replaceIndexRows("x", of: DocumentID("d"), sequence: 1, rows: rows)
                context.equal(again, false, "and known again")
            }
            func found(_ range: IndexRange, descending: Bool = false) throws(StorageError) -> [[UInt8]] {
                var found: [[UInt8]] = []
                try engine.read { (tx) throws(StorageError) in
                    try tx.indexRows("x", in: range, descending: descending) { (row) throws(StorageError) in
                        found.append(row.withKey { Array(copying: $0) })
                        return true
                    }
                }
                return found
            }
            context.expect(try found(.all) == sorted, "all, in order")
            context.expect(try found(.all, descending: true) == sorted.reversed(), "all, backwards")
            let long = IndexRange(
                lower: .excluding(IndexPosition(key: stem + [0])),
                upper: .including(IndexPosition(key: stem + [1]))
            )
            context.expect(try found(long) == [stem + [1]], "bounds of 1 MiB hold")
            try engine.write { (tx) throws(StorageError) in try tx.emit("x", "d", at: 1, []) }
            context.equal(try found(.all).count, 0, "and all can be removed")
        },
    ]
}
