internal import StorageProtocol

extension IndexRowCursor {
    fileprivate func line() throws(StorageError) -> String {
        try withRow { (row) throws(StorageError) in "\(row.withKey { text($0) }) \(row.withID { text($0) }) \(row.emit)"
        }
    }

    /// Returns the current row and those after it.
    fileprivate func rest() throws(StorageError) -> [String] {
        var lines = [try line()]
        while try next() { lines.append(try line()) }
        return lines
    }
}

extension Conformance {
    static let indexCursors: [ConformanceTest] = [
        ConformanceTest("IndexCursors", "a cursor finds every row from every place, forwards and backwards") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                for number in 0..<300 {
                    try tx.emit("x", "d\(number % 50)-\(number)", at: 1, ["k\(number % 7)", "m\(number)"])
                }
            }
            try engine.read { (tx) throws(StorageError) in
                for descending in [false, true] {
                    var all: [String] = []
                    var places: [IndexPosition] = []
                    try tx.indexRows("x", in: .all, descending: descending) { (row) throws(StorageError) in
                        all.append("\(row.withKey { text($0) }) \(row.withID { text($0) }) \(row.emit)")
                        let (key, id) = (row.withKey { Array(copying: $0) }, row.withID { Array(copying: $0) })
                        places.append(IndexPosition(key: key, documentID: id, emit: row.emit))
                        return true
                    }
                    context.equal(all.count, 600, "the rows to be found")
                    guard all.count == 600 else { return }
                    let cursor = tx.indexRowCursor("x", descending: descending)
                    context.equal(try cursor.next(), false, "it stands nowhere at first")
                    let isAny = try cursor.seek(nil)
                    context.equal(isAny ? try cursor.rest() : [], all, "all rows")
                    context.equal(try cursor.next(), false, "behind the end is nothing")
                    for number in [0, 1, 2, 5, 6, 150, 152, 160, 599, 3, 598] {
                        let isThere = try cursor.seek(places[number])
                        context.expect(isThere, "row \(number) is there")
                        context.equal(try cursor.line(), all[number], "it is that row")
                        let hasNext = try cursor.next()
                        context.equal(hasNext, number < 599, "the one behind it")
                        if hasNext { context.equal(try cursor.line(), all[number + 1], "is the next") }
                    }
                    // A key alone, and a missing one.
                    let key = try cursor.seek(IndexPosition(key: bytes("k3")))
                    context.expect(key, "a key alone")
                    context.equal(try cursor.line(), all.first { $0.hasPrefix("k3 ") } ?? "", "is its first row")
                    let between = try cursor.seek(IndexPosition(key: bytes("l")))
                    context.expect(between, "a key that is not there")
                    let neighbour = all.first { descending ? $0.hasPrefix("k") : $0.hasPrefix("m") }
                    context.equal(try cursor.line(), neighbour ?? "", "is the next one's first row")
                    let behind = try cursor.seek(IndexPosition(key: bytes(descending ? "a" : "z")))
                    context.equal(behind, false, "behind all")
                    context.fails(.badParameter, "nowhere is no row") { () throws(StorageError) in _ = try cursor.line()
                    }
                }
                context.fails(.notFound, "in no index") { () throws(StorageError) in
                    _ = try tx.indexRowCursor("none").seek(nil)
                }
            }
        },
        ConformanceTest("IndexCursors", "a row's cursor knows its text, value and sequence") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                let rows = [
                    IndexRow(key: bytes("a"), keyJSON: bytes("1"), valueJSON: nil),
                    IndexRow(key: bytes("b"), keyJSON: bytes("2"), valueJSON: bytes("null")),
                ]
                _ = try tx.replaceIndexRows("x", of: DocumentID("d"), sequence: 7, rows: rows)
            }
            try engine.read { (tx) throws(StorageError) in
                let cursor = tx.indexRowCursor("x")
                var lines: [String] = []
                guard try cursor.seek(nil) else { return }
                repeat {
                    try cursor.withRow { (row) throws(StorageError) in
                        let value = row.withValueJSON { text($0) } ?? "none"
                        lines.append("\(row.withKeyJSON { text($0) }) \(value) \(try row.sequence())")
                    }
                } while try cursor.next()
                context.equal(lines, ["1 none 7", "2 null 7"], "all of it")
            }
        },
        ConformanceTest("IndexCursors", "entries come in batches, the last of a key counts, and a cursor finds them") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                var entries = IndexEntries()
                for number in (0..<500).reversed() {
                    let key = bytes("\(1_000 + number)")
                    unsafe entries.append(key: key.span.bytes, value: bytes("old").span.bytes)
                    unsafe entries.append(key: key.span.bytes, value: bytes("\(number)").span.bytes)
                }
                try tx.putIndexEntries("x", entries)
                try tx.putIndexEntries("x", IndexEntries())
                var long = IndexEntries()
                unsafe long.append(key: bytes("k").span.bytes, value: bytes("").span.bytes)
                let tooLong = [UInt8](repeating: 1, count: IndexEntries.maximumKeyLength + 1)
                unsafe long.append(key: tooLong.span.bytes, value: bytes("v").span.bytes)
                context.fails(.tooLarge, "a key above 1 MiB") { () throws(StorageError) in
                    try tx.putIndexEntries("x", long)
                }
                context.fails(.notFound, "an index that is not there") { () throws(StorageError) in
                    try tx.putIndexEntries("none", entries)
                }
                context.equal(try tx.indexEntry("x", key: bytes("k")), nil, "a refusal wrote nothing")
                try tx.putIndexEntry("x", key: Array(tooLong.dropLast()), value: bytes("longest"))
                context.equal(
                    try tx.indexEntry("x", key: Array(tooLong.dropLast())),
                    bytes("longest"),
                    "1 MiB is allowed"
                )
                try tx.removeIndexEntries("x", in: ByteRange(upper: .excluding(bytes("1"))))
            }
            try engine.read { (tx) throws(StorageError) in
                for descending in [false, true] {
                    let expected = descending ? Array((0..<500).reversed()) : Array(0..<500)
                    let cursor = tx.indexEntryCursor("x", descending: descending)
                    var found: [Int] = []
                    if try cursor.seek(nil) {
                        repeat {
                            try cursor.withEntry { _, value in found.append(Int(text(value)) ?? -1) }
                        } while try cursor.next()
                    }
                    context.equal(found, expected, "all, each once")
                    for number in [499, 0, 3, 4, 7, 250] {
                        let isThere = try cursor.seek(bytes("\(1_000 + number)"))
                        context.expect(isThere, "entry \(number)")
                        let value = try cursor.withEntry { _, value in text(value) }
                        context.equal(value, "\(number)", "is that one")
                    }
                    let behind = try cursor.seek(bytes(descending ? "0" : "2"))
                    context.equal(behind, false, "behind all")
                }
                context.equal(try tx.indexEntryCursor("none").seek(nil), false, "no index has none")
            }
        },
    ]
}
