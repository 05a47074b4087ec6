internal import StorageProtocol

extension Conformance {
    static let durability: [ConformanceTest] = [
        ConformanceTest("Durability", "what was committed is there after reopening, of every kind", needs: .persistence)
        { context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("b") }
            let before = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            let counters = try engine.read { (tx) throws(StorageError) in try tx.counters() }
            for _ in 0..<3 {
                engine = try context.reopen(engine)
                let after = try engine.read { (tx) throws(StorageError) in try tx.contents() }
                context.equal(after.difference(from: before), nil, "everything is there")
                context.equal(
                    try engine.read { (tx) throws(StorageError) in try tx.counters() },
                    counters,
                    "and the counters"
                )
            }
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("c") }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.ids() },
                ["a1", "b1", "c1"],
                "and it can be written on"
            )
        },
        ConformanceTest("Durability", "what was not committed when the store closed is not there", needs: .persistence)
        { context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            let before = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            let writer = try engine.beginWrite()
            try writer.writeEverything("b")
            for n in 0..<500 { try writer.add("more\(n)", String(repeating: "x", count: 500)) }
            engine = try context.reopen(engine)
            writer.rollback()
            let after = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            context.equal(after.difference(from: before), nil, "only what was committed")
            try engine.write { (tx) throws(StorageError) in try tx.add("b") }
        },
        ConformanceTest("Durability", "a store opens after a checkpoint as before one", needs: .persistence) {
            context in
            var engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("a") }
            try engine.checkpoint()
            try engine.write { (tx) throws(StorageError) in try tx.writeEverything("b") }
            let before = try engine.read { (tx) throws(StorageError) in try tx.contents() }
            engine = try context.reopen(engine)
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.contents() }.difference(from: before),
                nil,
                "both commits"
            )
        },
    ]
}
