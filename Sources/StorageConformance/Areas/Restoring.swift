internal import StorageProtocol

extension Conformance {
    static let restoring: [ConformanceTest] = [
        ConformanceTest("Restoring", "a store restored from another one of its kind equals it in every call") {
            context in
            try RestoringBed(context, from: context).run()
        },
        ConformanceTest("Restoring", "only a store that is being built takes hidden entries and counters") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            let before = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            try engine.write { (tx) throws(StorageError) in
                context.fails(.badParameter, "a hidden entry") { () throws(StorageError) in
                    try tx.hide(DocumentID("b"), at: 9)
                }
                context.fails(.badParameter, "counters") { () throws(StorageError) in try tx.restore(before) }
                context.fails(.badParameter, "an insert at a lower sequence than the last") {
                    () throws(StorageError) in
                    try tx.raiseLastSequence(to: 10)
                    try tx.insert(RestoringBed.draft("b", at: 5))
                }
            }
            let found = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            context.equal(found.lastSequence, 10, "the sequence that was raised stays")
            context.equal(found.records.count, 1, "nothing was added")
            context.equal(found.hidden.count, 0, "nothing was hidden")
        },
        ConformanceTest("Restoring", "a store that is made to be built takes the place of none") { context in
            let directory = try context.makeDirectory()
            context.fails(.notFound, "going on with none") { () throws(StorageError) in
                _ = try context.open(directory, isBeingBuilt: true)
            }
            guard context.row.isPersistent else { return }
            context.equal(try context.names(in: directory), [], "nothing was made")
            let engine = try context.open(directory, create: true)
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            // Other engines throw 423 before anything else.
            if context.row.factory.capabilities.sharing == .multiProcess {
                context.fails(.badParameter, "of one that is open") { () throws(StorageError) in
                    _ = try context.open(directory, create: true, isBeingBuilt: true)
                }
            }
            context.close(engine)
            context.fails(.badParameter, "of one that was closed") { () throws(StorageError) in
                _ = try context.open(directory, create: true, isBeingBuilt: true)
            }
            let again = try context.open(directory)
            context.equal(try again.read { (tx) throws(StorageError) in try tx.ids() }, ["a"], "it is as it was")
        },
        ConformanceTest("Restoring", "a store that was half built is opened again and built to its end") { context in
            try BuildingBed(context).run()
        },
        ConformanceTest("Restoring", "what is brought in takes any sequence that is not in use") { context in
            let engine = try context.openBuilding()
            try engine.write { (tx) throws(StorageError) in
                for (id, sequence) in [("a", 50), ("b", 7), ("c", 51), ("d", 1)] as [(String, UInt64)] {
                    try tx.insert(RestoringBed.draft(id, at: sequence))
                }
                try tx.hide(DocumentID("gone"), at: 20)
                try tx.hide(DocumentID("gone"), at: 60)
                for used in [1, 7, 20, 50, 51, 60] as [UInt64] {
                    context.fails(.badParameter, "an insert at \(used)") { () throws(StorageError) in
                        try tx.insert(RestoringBed.draft("e", at: used))
                    }
                    context.fails(.badParameter, "a hidden entry at \(used)") { () throws(StorageError) in
                        try tx.hide(DocumentID("e"), at: used)
                    }
                }
                for beyond in [0, 1 << 63, .max] as [UInt64] {
                    context.fails(.badParameter, "an insert at \(beyond)") { () throws(StorageError) in
                        try tx.insert(RestoringBed.draft("e", at: beyond))
                    }
                    context.fails(.badParameter, "a hidden entry at \(beyond)") { () throws(StorageError) in
                        try tx.hide(DocumentID("e"), at: beyond)
                    }
                }
                context.fails(.exists, "a second record of one ID") { () throws(StorageError) in
                    try tx.insert(RestoringBed.draft("b", at: 8))
                }
                try tx.insert(RestoringBed.draft("e", at: 2, flags: .deleted))
            }
            try engine.write { (tx) throws(StorageError) in try tx.insert(RestoringBed.draft("f", at: 3)) }
            try engine.read { (tx) throws(StorageError) in
                let changes = ["1 d", "2 e", "3 f", "7 b", "50 a", "51 c"]
                context.equal(try tx.changes(), changes, "records in the order of their sequences")
                context.equal(try tx.hidden(), ["20 gone", "60 gone"], "hidden entries too")
                context.equal(try tx.counters().lastSequence, 60, "the highest sequence is the last one")
                context.equal(try tx.counters().liveDocuments, 5, "the live ones are counted")
            }
        },
        ConformanceTest("Restoring", "a raised last sequence uses none: what is brought in takes those below it") {
            context in
            var engine = try context.openBuilding()
            try engine.write { (tx) throws(StorageError) in
                try tx.raiseLastSequence(to: 10)
                let outcomes = try tx.apply([
                    .insert(RestoringBed.draft("a", at: 10)), .insert(RestoringBed.draft("b", at: 4)),
                    .insert(RestoringBed.draft("c", at: 4)), .update(RestoringBed.draft("a", at: 9)),
                    .purge(DocumentID("b"), sequence: 8), .purge(DocumentID("b"), sequence: 11),
                ])
                let expected: [StorageError.Code?] = [nil, nil, .badParameter, .badParameter, .badParameter, nil]
                context.equal(outcomes.map { $0?.code }, expected, "only inserts take lower ones")
                try tx.trimHiddenEntries(through: 11)
                try tx.insert(RestoringBed.draft("d", at: 11))
                context.equal(try tx.counters().lastSequence, 11, "the last sequence is no lower")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.changes(), ["10 a", "11 d"], "each at its sequence")
            }
            guard context.row.isPersistent else { return }
            engine = try context.reopen(engine)
            try engine.write { (tx) throws(StorageError) in
                let outcomes = try tx.apply([.insert(RestoringBed.draft("e", at: 5))])
                context.equal(outcomes.map { $0?.code }, [.badParameter], "a free one is refused after opening again")
            }
        },
        ConformanceTest("Restoring", "counters that cannot be are refused") { context in
            let engine = try context.openBuilding()
            try engine.write { (tx) throws(StorageError) in
                try tx.insert(RestoringBed.draft("a", at: 5))
                try tx.insert(RestoringBed.draft("b", at: 4, flags: .deleted))
                func refuse(_ what: String, _ live: UInt64, _ last: UInt64, _ counter: UInt64) {
                    context.fails(.badParameter, what) { () throws(StorageError) in
                        try tx.restore(StoreCounters(liveDocuments: live, lastSequence: last, changeCounter: counter))
                    }
                }
                refuse("a last sequence that is below one in use", 1, 4, 9)
                refuse("another count of live documents", 2, 5, 9)
                refuse("no live documents", 0, 5, 9)
                refuse("a last sequence beyond all", 1, 1 << 63, 9)
                refuse("a change counter beyond all", 1, 5, 1 << 63)
            }
            let found = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            context.equal(found.lastSequence, 5, "nothing was set")
        },
        ConformanceTest("Restoring", "counters of any size are set at the commit, and not by a roll-back") { context in
            let last = UInt64(Int64.max)
            let all: [(last: UInt64, counter: UInt64)] = [
                (1, 0), (1, 1), (1, last), (last, 0), (last, 3), (last, last), (1 << 40, 5), (5, 1 << 40),
            ]
            for (lastSequence, changeCounter) in all {
                let directory = try context.makeDirectory()
                let engine = try context.open(directory, create: true, isBeingBuilt: true)
                for n in 0..<3 { try engine.write { (tx) throws(StorageError) in try tx.setInfo([1], for: "\(n)") } }
                try engine.write { (tx) throws(StorageError) in try tx.insert(RestoringBed.draft("a", at: 1)) }
                let wanted = StoreCounters(
                    liveDocuments: 1,
                    lastSequence: lastSequence,
                    changeCounter: changeCounter
                )
                let before = try engine.read { (tx) throws(StorageError) in try tx.counters() }
                let lost = try engine.beginWrite()
                try lost.restore(wanted)
                lost.rollback()
                context.equal(
                    try engine.read { (tx) throws(StorageError) in try tx.counters() },
                    before,
                    "a roll-back leaves the counters"
                )
                try engine.write { (tx) throws(StorageError) in try tx.restore(wanted) }
                var later = engine
                context.equal(try later.read { (tx) throws(StorageError) in try tx.counters() }, wanted, "set")
                if context.row.isPersistent {
                    later = try context.reopen(engine)
                    context.equal(
                        try later.read { (tx) throws(StorageError) in try tx.counters() },
                        wanted,
                        "and after opening again"
                    )
                }
                guard max(lastSequence, changeCounter) < 1 << 62 else { continue }
                try later.write { (tx) throws(StorageError) in try tx.setInfo([2], for: "0") }
                let info = try later.read { (tx) throws(StorageError) in try tx.counters() }
                context.expect(info.changeCounter > changeCounter, "a commit without a sequence counts on from there")
                context.equal(info.lastSequence, lastSequence, "and takes none")
                try later.write { (tx) throws(StorageError) in try tx.add("b") }
                let added = try later.read { (tx) throws(StorageError) in try tx.counters() }
                context.expect(added.changeCounter > info.changeCounter, "and so does one with a sequence")
                context.equal(added.lastSequence, lastSequence + 1, "which is the next")
                context.equal(added.liveDocuments, 2, "and the count goes on")
            }
        },
        ConformanceTest("Restoring", "the last sequence is raised in any store, never lowered") { context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.add("a") }
            let before = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            try engine.write { (tx) throws(StorageError) in
                try tx.raiseLastSequence(to: 0)
                try tx.raiseLastSequence(to: 1)
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.counters() },
                before,
                "one that is no higher changes nothing"
            )
            try engine.write { (tx) throws(StorageError) in
                context.fails(.badParameter, "one beyond all") { () throws(StorageError) in
                    try tx.raiseLastSequence(to: 1 << 63)
                }
                try tx.add("b")
                try tx.raiseLastSequence(to: 100)
                try tx.raiseLastSequence(to: 50)
                context.equal(try tx.counters().lastSequence, 100, "seen by the transaction itself")
                context.fails(.badParameter, "an insert below it") { () throws(StorageError) in
                    try tx.insert(RestoringBed.draft("c", at: 100))
                }
            }
            let raised = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            context.expect(raised.changeCounter > before.changeCounter, "it counts as a change")
            if context.row.isPersistent { engine = try context.reopen(engine) }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.counters(), raised, "it is kept")
                context.equal(try tx.counters().liveDocuments, 2, "with the count of documents")
                context.equal(try tx.changes(), ["1 a", "2 b"], "and without a record or hidden entry")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.purge("b")
                try tx.add("c")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.changes(), ["1 a", "102 c"], "sequences go on behind it")
                context.equal(try tx.counters().liveDocuments, 2, "and so does the count")
            }
        },
    ]

    /// Fills a store of one engine, restores it into one of another, and compares them in every call of the contract.
    ///
    /// - Throws: `ConformanceFailures` with every difference; errors of creating directories.
    public static func restore(from source: EngineCase, to target: EngineCase) throws {
        let context = ConformanceContext(target)
        let other = ConformanceContext(source)
        defer {
            context.removeDirectories()
            other.removeDirectories()
        }
        do {
            try RestoringBed(context, from: other).run()
            context.checkAfterTest()
        } catch let error as StorageError {
            context.report("the calls of this test succeed", "no error", "\(error) (\(error.location))")
        }
        if !context.failures.isEmpty {
            throw ConformanceFailures(
                test: "Restoring: from \(source.name)",
                subject: target.name,
                failures: context.failures
            )
        }
    }
}
