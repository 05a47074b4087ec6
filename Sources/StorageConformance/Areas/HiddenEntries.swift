internal import StorageProtocol

extension Conformance {
    static let hiddenEntries: [ConformanceTest] = [
        ConformanceTest("HiddenEntries", "a purge removes the record and leaves an entry at its sequence") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                for name in ["a", "b", "c"] { try tx.add(name) }
                context.equal(try tx.purge("b"), 4, "a purge takes a sequence")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.stored("b"), nil, "the record is gone")
                context.equal(try tx.ids(), ["a", "c"], "from the listing by ID")
                context.equal(try tx.changes(), ["1 a", "3 c"], "and from that by sequence")
                context.equal(try tx.hidden(), ["4 b"], "the entry names the document")
                let counters = try tx.counters()
                context.equal(counters.lastSequence, 4, "the purge's sequence is the last")
                context.equal(counters.liveDocuments, 2, "and is not counted any more")
            }
        },
        ConformanceTest("HiddenEntries", "entries come in the order of sequences, in the range asked for") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                for n in 1...5 { try tx.add("d\(n)") }
                for n in [3, 1, 5, 2] { try tx.purge("d\(n)") }
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.hidden(), ["6 d3", "7 d1", "8 d5", "9 d2"], "all")
                context.equal(try tx.hidden(7...8), ["7 d1", "8 d5"], "both ends included")
                context.equal(try tx.hidden(10...UInt64.max), [], "none beyond the last")
                context.equal(try tx.hidden(limit: 2), ["6 d3", "7 d1"], "until the closure returns false")
            }
        },
        ConformanceTest("HiddenEntries", "trimming forgets entries up to a sequence and lowers no counter") { context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                for n in 1...4 { try tx.add("d\(n)") }
                for n in 1...3 { try tx.purge("d\(n)") }
            }
            try engine.write { (tx) throws(StorageError) in try tx.trimHiddenEntries(through: 6) }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.hidden(), ["7 d3"], "entries above stay")
                context.equal(try tx.counters().lastSequence, 7, "the last sequence stays")
            }
            try engine.write { (tx) throws(StorageError) in
                try tx.trimHiddenEntries(through: .max)
                context.equal(try tx.hidden(), [], "all gone, inside")
                context.equal(try tx.counters().lastSequence, 7, "the last sequence stays, inside")
                context.equal(try tx.counters().liveDocuments, 1, "and so does the count")
            }
            if context.row.isPersistent { engine = try context.reopen(engine) }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.hidden(), [], "all gone")
                context.equal(try tx.counters().lastSequence, 7, "no record has it, yet the last sequence stays")
                context.equal(try tx.counters().liveDocuments, 1, "the count stays")
            }
            try engine.write { (tx) throws(StorageError) in try tx.add("new") }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.changes() },
                ["4 d4", "8 new"],
                "no sequence is used twice"
            )
        },
        ConformanceTest("HiddenEntries", "when every document is purged and trimmed away, the counters still stand") {
            context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                try tx.purge("a")
                try tx.trimHiddenEntries(through: 2)
            }
            if context.row.isPersistent { engine = try context.reopen(engine) }
            let counters = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            context.equal(counters.lastSequence, 2, "the last sequence of an empty store")
            context.equal(counters.liveDocuments, 0, "the count of an empty store")
        },
        ConformanceTest("HiddenEntries", "a purged document can be created again, and purged again") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a", #"{"n":1}"#)
                try tx.purge("a")
                try tx.add("a", #"{"n":2}"#)
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.json("a") },
                #"{"n":2}"#,
                "the new record"
            )
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.hidden() },
                ["2 a"],
                "the entry stays: indexes must pass it"
            )
            try engine.write { (tx) throws(StorageError) in try tx.purge("a") }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.hidden() },
                ["2 a", "4 a"],
                "each purge has its own entry"
            )
        },
        ConformanceTest("HiddenEntries", "a purge takes the expiration with it") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                try tx.expire("a", at: 1_000)
                try tx.purge("a")
                try tx.add("a")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.expiring(through: .max), [], "nothing expires")
                context.equal(try tx.expiration(of: DocumentID("a")), nil, "nor does a later record of the same ID")
            }
        },
    ]
}
