internal import StorageProtocol

extension Conformance {
    static let batches: [ConformanceTest] = [
        ConformanceTest("Batches", "those of many IDs that have a record are found, each at its places") { context in
            let engine = try context.open()
            let long = String(repeating: "long", count: 300)
            let names = (0..<200).map { (n: Int) -> String in n % 50 == 7 ? long + "\(n)" : "d\(n)" }
            try engine.write { (tx) throws(StorageError) in
                for (n, name) in names.enumerated() { try tx.add(name, #"{"n":\#(n)}"#) }
                // What a transaction has deferred is found too.
                try tx.change("d3", .replace(bytes(#"{"n":3}"#)))
            }
            for count in [0, 1, 2, 3, 4, 5, 31, 32, 33, 64, 100, 200] {
                // In no particular order, some twice, and every fourth one without a document.
                let wanted = (0..<count).map { (n: Int) -> String in
                    if n % 4 == 3 { return "no\(n)" }
                    return names[(n * 71 + n / 2) % 200]
                }
                let ids = try wanted.map { (name) throws(StorageError) in try DocumentID(name) }
                for (isWriter, fields) in [(false, RecordFields.all), (true, .body), (false, .winner)] {
                    let transaction: any ReadTransaction = isWriter ? try engine.beginWrite() : try engine.beginRead()
                    defer { transaction.end() }
                    var found: [Int: String] = [:]
                    try transaction.records(ids: ids, fields: fields) { (place, view) throws(StorageError) in
                        context.equal(found[place], nil, "each place comes once")
                        found[place] = view.withID { text($0) }
                        if fields.contains(.body) {
                            let json = try transaction.json(wanted[place])
                            context.equal(
                                text(view.bodyCopy()),
                                json,
                                "with what was asked for, and others may be read"
                            )
                        }
                        return true
                    }
                    let expected = wanted.enumerated().filter { !$0.element.hasPrefix("no") }
                    context.equal(found.count, expected.count, "all of \(count) that are there")
                    for (place, name) in expected { context.equal(found[place], name, "at its place") }
                }
            }
        },
        ConformanceTest(
            "Batches",
            "looking up many ends when the closure returns false, throws or ends the transaction"
        ) {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in for n in 0..<100 { try tx.add("d\(n)") } }
            let ids = try (0..<100).map { (n) throws(StorageError) in try DocumentID("d\(n)") }
            for stop in [1, 3, 40, 100] {
                try engine.read { (tx) throws(StorageError) in
                    var count = 0
                    try tx.records(ids: ids, fields: .metadata) { (_, _) throws(StorageError) in
                        count += 1
                        return count < stop
                    }
                    context.equal(count, stop, "until the closure returns false")
                    context.fails(.cancelled, "the closure's error") { () throws(StorageError) in
                        try tx.records(ids: ids, fields: .all) { (_, _) throws(StorageError) in
                            throw StorageError(.cancelled, "Enough of this.")
                        }
                    }
                    context.equal(try tx.ids().count, 100, "the transaction goes on")
                }
            }
            for count in [1, 3, 4, 100] {
                let (some, transaction) = (Array(ids.prefix(count)), try engine.beginRead())
                context.fails(.notOpen, "after the closure has ended the transaction, of \(count)") {
                    () throws(StorageError) in
                    try transaction.records(ids: some, fields: .all) { (_, _) throws(StorageError) in
                        transaction.end()
                        return true
                    }
                }
                context.fails(.notOpen, "after the end") { () throws(StorageError) in
                    try transaction.records(ids: some, fields: .all) { (_, _) throws(StorageError) in true }
                }
            }
        },
        ConformanceTest(
            "Batches",
            "what was looked up together is inserted and updated as what was looked up by itself"
        ) {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                for n in stride(from: 0, to: 60, by: 2) { try tx.add("d\(n)") }
                let ids = try (0..<60).map { (n) throws(StorageError) in try DocumentID("d\(n)") }
                try tx.records(ids: ids, fields: .metadata) { (_, _) throws(StorageError) in true }
                for n in 0..<60 {
                    if n % 2 == 0 { try tx.change("d\(n)", .replace(bytes("[1]"))) } else { try tx.add("d\(n)", "[2]") }
                }
                for n in 0..<60 {
                    context.fails(.exists, "an insert of what is there") { () throws(StorageError) in
                        try tx.add("d\(n)")
                    }
                }
                try tx.purge("d1")
                try tx.add("d1", "[3]")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.ids().count, 60, "all are there")
                context.equal(try tx.json("d1"), "[3]", "the one that came again")
                context.equal(try tx.json("d2"), "[1]", "one that was changed")
                context.equal(try tx.json("d3"), "[2]", "one that was new")
            }
        },
        ConformanceTest("Batches", "changes are made one after another, each with an outcome of its own") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                try tx.add("gone")
                let tombstone = try RestoringBed.draft("new", at: 5, flags: .deleted)
                var keeping = try RestoringBed.draft("a", at: 7)
                keeping.body = .replaceKeepingOld(bytes("[7]"), oldSequence: 1)
                let outcomes = try tx.apply([
                    .insert(try RestoringBed.draft("a", at: 3)),
                    .insert(try RestoringBed.draft("new", at: 3)),
                    .update(try RestoringBed.draft("never", at: 4)),
                    .update(try RestoringBed.draft("a", at: 3)),
                    .update(try RestoringBed.draft("a", at: 4)),
                    .update(tombstone),
                    .purge(DocumentID("gone"), sequence: 6),
                    .purge(DocumentID("gone"), sequence: 7),
                    .update(try RestoringBed.draft("gone", at: 7)),
                    .update(keeping),
                    .insert(try RestoringBed.draft("gone", at: 8)),
                    .insert(try RestoringBed.draft("far", at: 1 << 63)),
                ])
                let codes: [StorageError.Code?] = [
                    .exists, nil, .notFound, .badParameter, nil, nil, nil, .notFound, .notFound, nil, nil,
                    .badParameter,
                ]
                context.equal(outcomes.map { $0?.code }, codes, "an outcome for each, in their order")
                context.equal(try tx.apply([]).count, 0, "none for none")
                context.equal(try tx.counters().liveDocuments, 2, "those that were refused are not counted")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.changes(), ["5 new", "7 a", "8 gone"], "those that were made stay")
                context.equal(try tx.hidden(), ["6 gone"], "purges too")
                context.equal(try tx.oldBodies(), ["1 of a: {}"], "and kept bodies")
                context.equal(try tx.counters().liveDocuments, 2, "with their count")
            }
            try engine.write { (tx) throws(StorageError) in
                _ = try tx.record(DocumentID("a"), fields: .metadata) { (_) throws(StorageError) in
                    context.fails(.callback, "a batch inside a reading closure") { () throws(StorageError) in
                        _ = try tx.apply([.purge(DocumentID("a"), sequence: 9)])
                    }
                }
            }
        },
        ConformanceTest("Batches", "a thread's patience for another's transaction ends with busy (595)") { context in
            let engine = try context.open()
            let first = try engine.beginWrite()
            let second = Worker {
                context.fails(.busy, "no patience at all") { () throws(StorageError) in
                    _ = try engine.beginWrite(patience: .zero)
                }
                context.fails(.busy, "less than none") { () throws(StorageError) in
                    _ = try engine.beginWrite(patience: .seconds(-5))
                }
                let start = ContinuousClock.now
                context.fails(.busy, "a short one") { () throws(StorageError) in
                    _ = try engine.beginWrite(patience: .milliseconds(50))
                }
                context.expect(.now - start >= .milliseconds(50), "it lasts as long as it was to")
            }
            context.expect(second.join(), "who is refused waits no longer")
            context.fails(.callback, "the thread's own") { () throws(StorageError) in
                _ = try engine.beginWrite(patience: .seconds(60))
            }
            try first.add("a")
            let third = Worker {
                do throws(StorageError) {
                    let transaction = try engine.beginWrite(patience: .seconds(1 << 60))
                    try transaction.add("b")
                    try transaction.commit()
                } catch {
                    context.report("who has patience writes", "no error", "\(error)")
                }
            }
            try first.commit()
            context.expect(third.join(), "who has patience comes to write")
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a", "b"],
                "both have written"
            )
            let transaction = try engine.beginWrite(patience: .zero)
            transaction.rollback()
        },
    ]
}
