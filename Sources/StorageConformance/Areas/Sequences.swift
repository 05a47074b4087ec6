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
        ConformanceTest("Sequences", "long walks pass the record of each sequence, in whatever order the IDs come") {
            context in
            let engine = try context.open()
            let count = 300
            let orders: [(name: String, place: (Int) -> Int)] = [
                ("ascending", { $0 }), ("descending", { count - $0 }), ("scattered", { $0 * 101 % count }),
                ("in runs", { $0 / 20 % 2 == 0 ? $0 : 2 * count - $0 }),
            ]
            func id(_ order: String, _ place: Int) -> String {
                // Some are longer than the keys of some stores.
                "\(order) \(1000 + place)" + String(repeating: "x", count: place % 10 == 0 ? 600 : 0)
            }
            try engine.write { (tx) throws(StorageError) in
                for order in orders {
                    for number in 0..<count {
                        let id = id(order.name, order.place(number))
                        try tx.add(id, "{\"id\":\"\(id)\"}")
                    }
                }
                for number in 0..<count {
                    let id = id(orders[number % 4].name, orders[number % 4].place(number))
                    if number % 37 == 0 { try tx.change(id, .replace(bytes("[\(number)]"))) }
                    if number % 41 == 5 { try tx.purge(id) }
                }
            }
            try engine.read { (tx) throws(StorageError) in
                var stored: [StoredRecord] = []
                try tx.records(in: .all, descending: false, fields: .all) { (view) throws(StorageError) in
                    stored.append(try StoredRecord(view))
                    return true
                }
                stored.sort { $0.sequence < $1.sequence }
                for range: ClosedRange<UInt64> in [0...UInt64.max, 1...10, 290...620, 899...901] {
                    let wanted = stored.filter { range.contains($0.sequence) }
                    for (descending, limit) in [(false, Int.max), (false, 9), (true, Int.max), (true, 9)] {
                        var passed: [StoredRecord] = []
                        try tx.records(sequences: range, descending: descending, fields: .all) {
                            (view) throws(StorageError) in
                            passed.append(try StoredRecord(view))
                            return passed.count < limit
                        }
                        let expected = descending ? wanted.reversed() : wanted
                        let way = descending ? "backwards" : "forwards"
                        context.equal(passed, Array(expected.prefix(limit)), "\(range) \(way), at most \(limit)")
                    }
                }
            }
        },
    ]
}
