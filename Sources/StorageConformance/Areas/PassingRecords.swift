internal import StorageProtocol

extension Conformance {
    static let passingRecords: [ConformanceTest] = [
        ConformanceTest("Passing records", "ranges and parts have the live records that pass, as a loop finds them") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.fillForWalks(0..<60) }
            try engine.write { (tx) throws(StorageError) in
                for n in stride(from: 0, to: 60, by: 7) { try tx.change("d\(n)", flags: .deleted) }
                for n in stride(from: 1, to: 60, by: 7) {
                    try tx.change("d\(n)", .replace(bytes("{\"n\":\(n + 1)}")), flags: .conflicted)
                }
                for n in stride(from: 2, to: 60, by: 7) { try tx.purge("d\(n)") }
                context.equal(try tx.passing(context), try tx.passingByLoop(), "in the write transaction")
                try tx.fillForWalks(60..<80)
                context.equal(try tx.passing(context), try tx.passingByLoop(), "with what was just written")
            }
            try engine.read { (tx) throws(StorageError) in
                let expected = try tx.passingByLoop()
                context.expect(expected.count > 10, "there are some")
                context.equal(try tx.passing(context), expected, "in a snapshot")
                let bounds: [ByteRange.Bound] = [
                    .open, .including(bytes("d2")), .excluding(bytes("d2")), .excluding(bytes("d50")),
                    .including(bytes("d6")),
                ]
                for lower in bounds {
                    for upper in bounds {
                        let range = ByteRange(lower: lower, upper: upper)
                        let inside = expected.filter { range.holds(bytes(String($0.prefix { $0 != " " }))) }
                        for descending in [false, true] {
                            context.equal(
                                try tx.passing(.ids(range, descending: descending)),
                                descending ? inside.reversed() : inside,
                                "in \(range)"
                            )
                        }
                    }
                }
            }
        },
        ConformanceTest("Passing records", "the fields that are asked for are there, whatever the size of the body") {
            context in
            let engine = try context.open()
            let large = "{\"n\":2,\"t\":\"" + String(repeating: "long ", count: 40_000) + "\"}"
            try engine.write { (tx) throws(StorageError) in
                try tx.add("a", large)
                try tx.add("b", "{\"n\":1}")
                try tx.add("é", "{}")
            }
            try engine.read { (tx) throws(StorageError) in
                for walk in [RecordWalk.ids(.all, descending: false), .part(0, of: 1)] {
                    var found: [StoredRecord] = []
                    var tested: [String] = []
                    try tx.records(
                        in: walk,
                        where: { (id, body) throws(StorageError) in
                            tested.append(text(id) + " " + String(body.byteCount))
                            return body.byteCount > 2
                        },
                        fields: .all
                    ) { (record) throws(StorageError) in
                        found.append(try StoredRecord(record))
                        return true
                    }
                    context.equal(tested.sorted(), ["a \(large.utf8.count)", "b 7", "é 2"], "each is tested once")
                    let wanted = try ["a", "b"].map { (id) throws(StorageError) in try tx.stored(id) }
                    context.equal(found.sorted { $0.sequence < $1.sequence }, wanted.compactMap { $0 }, "all fields")
                }
            }
        },
        ConformanceTest("Passing records", "a walk ends where either closure ends it, and the transaction goes on") {
            context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in
                try tx.fillForWalks(0..<20)
                context.fails(.cancelled, "an error of the test, in the write transaction") {
                    () throws(StorageError) in
                    try tx.records(
                        in: .ids(.all, descending: false),
                        where: { (_, _) throws(StorageError) in throw StorageError(.cancelled, "Enough.") },
                        fields: .metadata
                    ) { (_) throws(StorageError) in true }
                }
            }
            try engine.read { (tx) throws(StorageError) in
                for walk in [RecordWalk.ids(.all, descending: false), .part(0, of: 1)] {
                    var tested = 0
                    context.fails(.cancelled, "the test's own error") { () throws(StorageError) in
                        try tx.records(
                            in: walk,
                            where: { (_, _) throws(StorageError) in
                                tested += 1
                                if tested == 3 { throw StorageError(.cancelled, "Enough of this.") }
                                return false
                            },
                            fields: .metadata
                        ) { (_) throws(StorageError) in true }
                    }
                    context.equal(tested, 3, "nothing is tested behind it")
                    context.fails(.badParameter, "the closure's own error") { () throws(StorageError) in
                        try tx.records(in: walk, where: { (_, _) throws(StorageError) in true }, fields: .metadata) {
                            (_) throws(StorageError) in throw StorageError(.badParameter, "No more of this.")
                        }
                    }
                    context.equal(try tx.passing(walk, limit: 2).count, 2, "a closure that returns false")
                    context.equal(try tx.ids().count, 20, "the transaction goes on")
                }
            }
        },
        ConformanceTest("Passing records", "a walk in the closure of another has a test of its own") { context in
            let engine = try context.open()
            try engine.write { (tx) throws(StorageError) in try tx.fillForWalks(0..<12) }
            try engine.read { (tx) throws(StorageError) in
                let all = try tx.passing(.part(0, of: 1)).sorted()
                for walk in [RecordWalk.ids(.all, descending: false), .part(0, of: 1)] {
                    var outer: [String] = []
                    try tx.records(
                        in: walk,
                        where: { (_, body) throws(StorageError) in passes(body) },
                        fields: .metadata
                    ) { (record) throws(StorageError) in
                        outer.append(record.withID { text($0) })
                        var inner = 0
                        try tx.records(
                            in: walk,
                            where: { (_, body) throws(StorageError) in !passes(body) },
                            fields: .metadata
                        ) { (_) throws(StorageError) in
                            inner += 1
                            return true
                        }
                        context.equal(inner, 12 - all.count, "the inner one")
                        return true
                    }
                    context.equal(outer.count, all.count, "the outer one")
                }
            }
        },
        ConformanceTest("Passing records", "an empty store, and parts that there are not, have none") { context in
            let engine = try context.open()
            try engine.read { (tx) throws(StorageError) in
                context.equal(try tx.passing(.part(0, of: 1)), [], "no records")
                context.equal(try tx.passing(.ids(.all, descending: true)), [], "no records in a range")
            }
            try engine.write { (tx) throws(StorageError) in try tx.fillForWalks(0..<3) }
            try engine.read { (tx) throws(StorageError) in
                for walk in [RecordWalk.part(-1, of: 2), .part(2, of: 2), .part(0, of: 0), .part(.max, of: .max)] {
                    context.equal(try tx.passing(walk), [], "a part that is not there")
                }
                var found: [String] = []
                for part in 0..<100 { found += try tx.passing(.part(part, of: 100)) }
                context.equal(found.sorted(), try tx.passing(.part(0, of: 1)).sorted(), "more parts than records")
            }
        },
    ]
}

/// The test of these tests: a body with an even number.
private func passes(_ body: RawSpan) -> Bool {
    let json = text(body)
    return json.hasPrefix("{\"n\":") && "02468".contains(json.dropLast().last ?? "1")
}

extension WriteTransaction {
    fileprivate func fillForWalks(_ numbers: Range<Int>) throws(StorageError) {
        for n in numbers { try add("d\(n)", "{\"n\":\(n)}") }
    }
}

extension ReadTransaction {
    /// Returns the IDs and sequences of the records that pass in a walk.
    fileprivate func passing(_ walk: RecordWalk, limit: Int = .max) throws(StorageError) -> [String] {
        var found: [String] = []
        try records(
            in: walk,
            where: { (_, body) throws(StorageError) in passes(body) },
            fields: .metadata,
            { (record) throws(StorageError) in
                found.append(record.withID { text($0) } + " \(record.sequence)")
                return found.count < limit
            }
        )
        return found
    }

    /// Returns those of all walks over everything, which agree.
    fileprivate func passing(_ context: ConformanceContext) throws(StorageError) -> [String] {
        let all = try passing(.ids(.all, descending: false))
        for count in [1, 2, 7] {
            var found: [String] = []
            for part in 0..<count { found += try passing(.part(part, of: count)) }
            context.equal(found.sorted(), all.sorted(), "in \(count) parts")
        }
        return all
    }

    /// The reference.
    fileprivate func passingByLoop() throws(StorageError) -> [String] {
        var found: [String] = []
        try records(in: .all, descending: false, fields: .all) { (record) throws(StorageError) in
            if !record.flags.contains(.deleted), record.withBody({ passes($0) }) {
                found.append(record.withID { text($0) } + " \(record.sequence)")
            }
            return true
        }
        return found
    }
}
