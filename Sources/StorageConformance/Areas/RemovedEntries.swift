internal import StorageProtocol

extension Conformance {
    /// Tests of `removeAllIndexEntries`, and of the removal of a range in parts.
    static let removedEntries: [ConformanceTest] = [
        ConformanceTest("RemovedEntries", "all entries are gone at once, and their space by and by") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x", rows: 8_000)
                try tx.makeIndex("y", rows: 40)
            }
            let (rows, others) = try engine.read { (tx) throws(StorageError) in
                (try tx.rows("x"), try tx.entries("y"))
            }
            context.equal(try engine.hasDroppedIndexes(), false, "nothing was removed")
            let snapshot = try engine.beginRead()
            defer { snapshot.end() }
            context.equal(try snapshot.entries("x").count, 2_000, "a snapshot from before")
            try engine.write { (tx) throws(StorageError) in
                try tx.removeAllIndexEntries("x")
                context.equal(try tx.entries("x"), [], "in the transaction itself")
                context.equal(try tx.indexEntry("x", key: bytes("7")), nil, "none is found")
                try tx.putIndexEntry("x", key: bytes("7"), value: bytes("2"))
                try tx.putIndexEntry("x", key: bytes("new"), value: bytes("2"))
            }
            let isLeft = try engine.hasDroppedIndexes()
            let steps = try engine.reclaimAll { (step) throws(StorageError) in
                guard step % 10 == 1 else { return }
                try engine.read { (tx) throws(StorageError) in
                    context.equal(try tx.entries("x"), ["7 2", "new 2"], "those that came later stay")
                    context.equal(try tx.rows("x"), rows, "and so do the rows")
                }
            }
            context.expect(!isLeft || steps > 5, "2,000 entries go in many steps")
            context.equal(try engine.hasDroppedIndexes(), false, "nothing is left")
            context.equal(try snapshot.entries("x").count, 2_000, "a snapshot from before sees them to its end")
            try engine.write { (tx) throws(StorageError) in
                context.equal(try tx.entries("x"), ["7 2", "new 2"], "those that came later")
                context.equal(try tx.rows("x"), rows, "all rows")
                context.equal(try tx.indexState("x")?.rowCount, 8_000, "counted")
                context.equal(try tx.entries("y"), others, "those of others")
                // A few, and none.
                try tx.removeAllIndexEntries("x")
                try tx.removeAllIndexEntries("x")
                context.equal(try tx.entries("x"), [], "all removed")
            }
            context.fails(.notFound, "without an index") { () throws(StorageError) in
                try engine.write { (tx) throws(StorageError) in try tx.removeAllIndexEntries("none") }
            }
        },
        ConformanceTest("RemovedEntries", "removals one after another, and a dropped index, leave no entry behind") {
            context in
            let engine = try context.open()
            for round in 0..<3 {
                try engine.write { (tx) throws(StorageError) in
                    if round == 0 { try tx.makeIndex("x") }
                    for number in 0..<200 {
                        try tx.putIndexEntry("x", key: bytes("\(number)"), value: bytes("\(round)"))
                    }
                    if round == 1 {
                        try tx.removeAllIndexEntries("x")
                        for number in 0..<200 {
                            try tx.putIndexEntry("x", key: bytes("\(number)"), value: bytes("new"))
                        }
                    }
                    try tx.removeAllIndexEntries("x")
                }
            }
            try engine.write { (tx) throws(StorageError) in
                for number in 0..<200 { try tx.putIndexEntry("x", key: bytes("\(number)"), value: bytes("last")) }
                try tx.dropIndex("x")
                // Neither its rows nor its entries are mixed up with garbage.
                try tx.makeIndex("z", rows: 400)
            }
            _ = try engine.reclaimAll()
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.indexNames(), ["z"], "the other one")
                context.equal(try tx.entries("z").count, 100, "has its entries")
                context.equal(try tx.rows("z").count, 400, "and its rows")
            }
        },
        ConformanceTest("RemovedEntries", "what was left is found after opening again", needs: .persistence) {
            context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.makeIndex("x", rows: 4_000) }
            try engine.write { (tx) throws(StorageError) in try tx.removeAllIndexEntries("x") }
            let isLeft = try engine.hasDroppedIndexes()
            engine = try context.reopen(engine)
            context.equal(try engine.hasDroppedIndexes(), isLeft, "as before")
            try engine.write { (tx) throws(StorageError) in
                try tx.putIndexEntry("x", key: bytes("1"), value: bytes("2"))
                try tx.makeIndex("y", rows: 40)
            }
            _ = try engine.reclaimAll()
            engine = try context.reopen(engine)
            context.equal(try engine.hasDroppedIndexes(), false, "nothing is left")
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.entries("x"), ["1 2"], "those that came later")
                context.equal(try tx.entries("y").count, 10, "and those of an index that did")
            }
        },
        ConformanceTest("RemovedEntries", "a roll-back brings all entries back") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.makeIndex("x", rows: 800) }
            let transaction = try engine.beginWrite()
            try transaction.removeAllIndexEntries("x")
            try transaction.putIndexEntry("x", key: bytes("0"), value: bytes("2"))
            transaction.rollback()
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.entries("x").count, 200, "they are back")
                context.equal(try tx.indexEntry("x", key: bytes("0")), bytes("1"), "as they were")
                context.equal(try tx.hasDroppedIndexes(), false, "and nothing is to be freed")
            }
        },
        ConformanceTest("RemovedEntries", "a range goes in parts, each in a transaction of its own") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x", rows: 4_000)
                try tx.makeIndex("y", rows: 40)
                try tx.makeIndex("z", rows: 4_000)
            }
            let all = try engine.read { (tx) throws(StorageError) in try tx.entries("x") }
            let range = ByteRange(lower: .excluding(bytes("1")), upper: .including(bytes("8")))
            let kept = all.filter { $0 == "0 1" || $0 == "1 1" || $0 > "8 1" }
            var steps = 1
            var left = try engine.read { (tx) throws(StorageError) in try tx.entries("x", range).count }
            context.equal(left, all.count - kept.count, "so many are in the range")
            while try engine.write({ (tx) throws(StorageError) in
                try tx.removeIndexEntries("x", in: range, for: .zero)
            }) {
                steps += 1
                let now = try engine.read { (tx) throws(StorageError) in try tx.entries("x", range).count }
                context.expect(now < left && now > 0, "less is left, and something is")
                left = now
            }
            try engine.write { (tx) throws(StorageError) in try tx.dropIndex("z") }
            // Where an index leaves nothing behind, any range may go at once.
            let isAtOnce = try !engine.hasDroppedIndexes()
            context.expect(isAtOnce || steps > 5, "hundreds of entries go in parts")
            try engine.write { (tx) throws(StorageError) in
                context.equal(try tx.entries("x"), kept, "the others stay")
                context.equal(try tx.entries("y").count, 10, "and those of another index")
                let isMore = try tx.removeIndexEntries("x", in: .all, for: .seconds(60))
                context.equal(isMore, false, "with time enough all go")
                context.equal(try tx.entries("x"), [], "all")
                context.equal(try tx.removeIndexEntries("x", in: .all, for: .zero), false, "nothing is left")
            }
            context.fails(.notFound, "without an index") { () throws(StorageError) in
                try engine.write { (tx) throws(StorageError) in
                    _ = try tx.removeIndexEntries("none", in: .all, for: .zero)
                }
            }
        },
    ]
}
