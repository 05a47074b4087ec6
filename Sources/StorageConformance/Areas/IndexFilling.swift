internal import StorageEngineKit
internal import StorageProtocol

extension IndexBatch {
    /// Returns documents with 0 to 3 rows, whose keys are in no order and some of them long.
    fileprivate static func many(_ numbers: Range<Int>) throws(StorageError) -> IndexBatch {
        var batch = IndexBatch()
        for number in numbers {
            batch.begin(try DocumentID("d\(number * 311 % 1_000)"), sequence: UInt64(number + 1))
            for emit in 0..<(number % 4) {
                var key: [UInt8] = [1, UInt8((number * 7_919 + emit * 13) % 101)]
                if number % 50 == 1 { key = [UInt8](repeating: 2, count: 3_000) + key }
                let value = emit == 1 ? nil : bytes("\(number)")
                batch.add(IndexRow(key: key, keyJSON: bytes("\(emit)"), valueJSON: value))
            }
        }
        return batch
    }
}

extension WriteTransaction {
    fileprivate func fill(
        _ load: IndexLoad,
        rows: Range<Int> = 0..<0,
        documents: Range<Int> = 0..<0
    )
        throws(StorageError)
    {
        try fillIndex("x", from: load, rows: rows, documents: documents)
    }

    /// Creates an index that is being filled.
    fileprivate func beginFilling() throws(StorageError) {
        try setIndexState("x", IndexState(version: "1", collationVersion: "c1", lastChangedSequence: 1_000))
    }

    /// Ends the filling.
    fileprivate func finish() throws(StorageError) {
        guard var state = try indexState("x") else { return }
        state.lastSequence = 1_000
        try setIndexState("x", state)
    }
}

extension Conformance {
    static let indexFilling: [ConformanceTest] = [
        ConformanceTest("IndexFilling", "rows and documents come in parts, in any order, in many transactions") {
            context in
            let engine = try context.open()
            let batches = [try IndexBatch.many(0..<300), try IndexBatch.many(300..<700), IndexBatch()]
            let load = IndexLoad(batches)
            let alone = IndexLoad([batches[0]], hasRows: false)
            let rest = IndexLoad([batches[1]], hasRows: false)
            context.equal([load.rowCount, load.documentCount], [1_050, 525], "what there is to write")
            context.equal([alone.rowCount, alone.documentCount + rest.documentCount], [0, 525], "documents alone")
            try engine.write { (tx) throws(StorageError) in
                try tx.beginFilling()
                try tx.makeIndex("y")
                var changes = RowChanges(recordsPositions: false)
                try tx.replaceIndexRows("y", by: batches, areNew: true, changes: &changes)
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.fill(rest, documents: 0..<rest.documentCount)
                try tx.fill(load, rows: 700..<1_050)
            }
            let part = load.part(rows: 20..<400)
            context.equal([part.rowCount, part.documentCount], [380, 0], "a part")
            try engine.write { (tx) throws(StorageError) in
                try tx.fill(part, rows: 100..<380)
                try tx.fill(part, rows: 0..<100)
                try tx.fill(alone, documents: 10..<alone.documentCount)
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.fill(load, rows: 400..<700)
                try tx.fill(load, rows: 0..<20)
                try tx.fill(alone, documents: 0..<10)
                try tx.finish()
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.rows("x"), try tx.rows("y"), "the rows of an index that was written otherwise")
                context.equal(try tx.indexState("x")?.rowCount, 1_050, "their number")
                for number in [1, 2, 301, 699] {
                    let id = try DocumentID("d\(number * 311 % 1_000)")
                    context.equal(try tx.indexedSequence("x", id), UInt64(number + 1), "each document's sequence")
                }
                context.equal(try tx.indexedSequence("x", DocumentID("d0")), nil, "but not one without rows")
            }
            context.checkSound(engine, "after filling")
            try engine.write { (tx) throws(StorageError) in
                var changes = RowChanges(recordsPositions: true)
                try tx.replaceIndexRows("x", by: batches, areNew: false, changes: &changes)
                context.equal(changes.documents, 0, "all is found again as it is")
            }
        },
        ConformanceTest("IndexFilling", "an index that is half filled is no damage, and can be dropped") { context in
            let engine = try context.open()
            let load = IndexLoad([try IndexBatch.many(0..<200)])
            for (rows, documents) in [(0..<200, 0..<0), (0..<0, 0..<100), (100..<300, 0..<40)] {
                try engine.write { (tx) throws(StorageError) in
                    try tx.beginFilling()
                    try tx.fill(load, rows: rows, documents: documents)
                }
                context.checkSound(engine, "half filled")
                try engine.read { (tx) throws(StorageError) in
                    context.equal(try tx.indexState("x")?.rowCount, UInt64(rows.count), "the rows so far")
                }
                try engine.write { (tx) throws(StorageError) in try tx.dropIndex("x") }
                context.checkSound(engine, "dropped")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.makeIndex("x")
                context.equal(try tx.rows("x"), [], "nothing is left")
                context.equal(try tx.indexedSequence("x", DocumentID("d311")), nil, "of documents either")
            }
        },
        ConformanceTest("IndexFilling", "a roll-back takes back what was filled") { context in
            let engine = try context.open()
            let load = IndexLoad([try IndexBatch.many(0..<100)])
            try engine.write { (tx) throws(StorageError) in try tx.beginFilling() }
            let tx = try engine.beginWrite()
            try tx.fill(load, rows: 0..<150, documents: 0..<75)
            context.equal(try tx.indexState("x")?.rowCount, 150, "inside")
            tx.rollback()
            try engine.write { (tx) throws(StorageError) in
                context.equal(try tx.indexState("x")?.rowCount, 0, "none after it")
                try tx.fill(load, rows: 0..<150, documents: 0..<75)
                try tx.finish()
            }
            context.checkSound(engine, "filled after all")
        },
        ConformanceTest("IndexFilling", "only an index that says that it is being filled can be") { context in
            let engine = try context.open()
            let load = IndexLoad([try IndexBatch.many(0..<10)])
            try engine.write { (tx) throws(StorageError) in
                context.fails(.notFound, "no index") { () throws(StorageError) in try tx.fill(load, rows: 0..<1) }
                try tx.makeIndex("x")
                context.fails(.badParameter, "one that is not") { () throws(StorageError) in
                    try tx.fill(load, rows: 0..<1)
                }
                try tx.beginFilling()
                try tx.fill(load, rows: 0..<load.rowCount, documents: 0..<load.documentCount)
                try tx.finish()
                context.fails(.badParameter, "one that is not any more") { () throws(StorageError) in
                    try tx.fill(load, rows: 0..<1)
                }
                context.equal(try tx.indexState("x")?.rowCount, UInt64(load.rowCount), "nothing was added")
            }
            context.checkSound(engine, "after refusals")
        },
        ConformanceTest("IndexFilling", "a row that is there already is damage (591), at once or for `verify`") {
            context in
            let engine = try context.open()
            let load = IndexLoad([try IndexBatch.many(0..<10)])
            try engine.write { (tx) throws(StorageError) in
                try tx.beginFilling()
                try tx.fill(load, rows: 0..<load.rowCount, documents: 0..<load.documentCount)
            }
            let tx = try engine.beginWrite()
            do throws(StorageError) {
                try tx.fill(load, rows: 3..<4)
                context.equal(try tx.indexState("x")?.rowCount, UInt64(load.rowCount) + 1, "counted twice")
                tx.rollback()
            } catch {
                context.equal(error.code, .corrupt, "the same row again")
                context.fails(.corrupt, "the commit") { () throws(StorageError) in try tx.commit() }
            }
            try engine.write { (tx) throws(StorageError) in
                context.equal(try tx.indexState("x")?.rowCount, UInt64(load.rowCount), "nothing was added")
                try tx.finish()
            }
            context.checkSound(engine, "after that")
        },
    ]
}
