internal import StorageProtocol

extension Conformance {
    static let sequences: [ConformanceTest] = [
        ConformanceTest("Sequences", "changes come in the order of sequences, a document once, under its highest") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in for name in ["c", "a", "b"] { try tx.add(name) } }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.changes() },
                ["1 c", "2 a", "3 b"],
                "as written"
            )
            try engine.write { (tx) throws(StorageError) in
                try tx.change("c")
                context.equal(try tx.changes(), ["2 a", "3 b", "4 c"], "inside the transaction too")
                try tx.change("c")
            }
            context.equal(
                try engine.read { (tx) throws(StorageError) in try tx.changes() },
                ["2 a", "3 b", "5 c"],
                "once per document"
            )
        },
        ConformanceTest("Sequences", "ranges of sequences include both ends, in both directions") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in for n in 1...9 { try tx.add("d\(n)") } }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.changes(3...5), ["3 d3", "4 d4", "5 d5"], "a range")
                context.equal(try tx.changes(3...5, descending: true), ["5 d5", "4 d4", "3 d3"], "descending")
                context.equal(try tx.changes(7...7), ["7 d7"], "a single sequence")
                context.equal(try tx.changes(0...1), ["1 d1"], "from zero")
                context.equal(try tx.changes(9...UInt64.max), ["9 d9"], "to the largest number there is")
                context.equal(try tx.changes(10...UInt64.max), [], "beyond the last")
                context.equal(try tx.changes(UInt64.max...UInt64.max), [], "the largest number itself")
                context.equal(try tx.changes(limit: 2), ["1 d1", "2 d2"], "stops when told")
                context.equal(try tx.changes(descending: true, limit: 1), ["9 d9"], "stops when told, backwards")
            }
        },
        ConformanceTest("Sequences", "tombstones are listed, purged documents are not") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a")
                try tx.add("b")
                try tx.change("a", .replace(bytes("{}")), flags: .deleted)
                try tx.purge("b")
            }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.changes(), ["3 a"], "by sequence")
                context.equal(try tx.ids(), ["a"], "by ID")
            }
        },
    ]
}
