internal import StorageProtocol

extension Conformance {
    static let ranges: [ConformanceTest] = [
        ConformanceTest("Ranges", "bounds may be open, including or excluding, in both directions") { context in
            let engine = try context.open()
            let names = ["a", "ab", "abc", "b", "ba", "c"]
            try engine.write { (tx) throws(StorageError) in for name in names.shuffledForTests { try tx.add(name) } }
            let probes: [[UInt8]] =
                ["", "a", "aa", "ab", "abc", "abcd", "b", "bz", "c", "d"].map(bytes) + [[0xFF], [0]]
            let lowers = [.open] + probes.flatMap { [ByteRange.Bound.including($0), .excluding($0)] }
            try engine.read { (tx) throws(StorageError) in
                for lower in lowers {
                    for upper in lowers {
                        let range = ByteRange(lower: lower, upper: upper)
                        let inside = names.filter { range.holds(bytes($0)) }
                        context.equal(try tx.ids(range), inside, "IDs in \(range)")
                        let backwards: [String] = inside.reversed()
                        context.equal(try tx.ids(range, descending: true), backwards, "backwards in \(range)")
                    }
                }
            }
        },
        ConformanceTest("Ranges", "IDs are ordered by bytes: a prefix first, capitals before small letters") {
            context in
            let engine = try context.open()
            let names = ["B", "a", "a ", "a0", "aB", "aa", "b", "z", "é", "\u{FFFD}", "😀"]
            try engine.write { (tx) throws(StorageError) in for name in names.shuffledForTests { try tx.add(name) } }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.ids(), names, "ascending")
                context.equal(try tx.ids(descending: true), names.reversed(), "descending")
            }
        },
        ConformanceTest("Ranges", "a listing stops when the closure returns false") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in for n in 0..<20 { try tx.add("doc\(10 + n)") } }
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.ids(limit: 1), ["doc10"], "after one")
                context.equal(try tx.ids(limit: 3), ["doc10", "doc11", "doc12"], "after three")
                context.equal(try tx.ids(descending: true, limit: 2), ["doc29", "doc28"], "after two, backwards")
                context.equal(try tx.ids().count, 20, "and the transaction goes on")
            }
        },
        ConformanceTest("Ranges", "an error of the closure comes out as it is and ends the listing") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in for n in 0..<5 { try tx.add("doc\(n)") } }
            let transaction = try engine.beginRead()
            var seen = 0
            context.fails(.cancelled, "the closure's own error") { () throws(StorageError) in
                try transaction.records(in: .all, descending: false, fields: .metadata) { _ throws(StorageError) in
                    seen += 1
                    if seen == 2 { throw StorageError(.cancelled, "Enough of this.") }
                    return true
                }
            }
            context.equal(seen, 2, "nothing is handed out after the error")
            context.equal(try transaction.ids().count, 5, "the transaction goes on")
            transaction.end()
        },
        ConformanceTest("Ranges", "listings of an empty store are empty") { context in
            let engine = try context.open()
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.ids(), [], "no records")
                context.equal(try tx.changes(), [], "no changes")
                context.equal(try tx.oldBodies(), [], "no bodies")
                context.equal(try tx.hidden(), [], "no hidden entries")
                context.equal(try tx.locals(), [], "no local documents")
                context.equal(try tx.expiring(through: .max), [], "nothing expires")
                context.equal(try tx.allInfo().count, 0, "no info")
                context.equal(try tx.indexNames(), [], "no indexes")
                context.equal(try tx.references(), [], "no blob references")
            }
        },
    ]
}

extension ByteRange {
    /// The definition that engines must fulfil.
    func holds(_ key: [UInt8]) -> Bool {
        let above =
            switch lower {
            case .open: true
            case .including(let bound): compareBytes(key, bound) >= 0
            case .excluding(let bound): compareBytes(key, bound) > 0
            }
        let below =
            switch upper {
            case .open: true
            case .including(let bound): compareBytes(key, bound) <= 0
            case .excluding(let bound): compareBytes(key, bound) < 0
            }
        return above && below
    }
}

extension Array {
    /// Another order, the same in every run.
    var shuffledForTests: [Element] {
        indices.sorted { ($0 * 7 + 3) % count < ($1 * 7 + 3) % count }.map { self[$0] }
    }
}
