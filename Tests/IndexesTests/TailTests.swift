import Settee
import SetteeEngine
import SetteeIndexes
import SetteeTestSupport
import StorageProtocol
import Testing

/// What an index lacks is evaluated on the reader's own snapshot, so that a query need not commit.
@Suite struct TailTests {
    private let seen = SeenDocuments()
    private var kind: MemberIndexes { MemberIndexes(seen: seen) }

    private func withMembers(_ type: StorageType, _ body: (TestDatabase, IndexName) throws -> Void) throws {
        try withDatabase(type, modules: [DatabaseModule(indexes: kind)]) { (bed) throws in
            try body(bed, try IndexName("n", of: kind))
        }
    }

    private func counters(_ bed: TestDatabase) throws -> UInt64 {
        try bed.engine().read { (transaction) throws(StorageError) in try transaction.counters().changeCounter }
    }

    @Test(arguments: Storage.all) func anIndexThatIsNotBuiltYet(_ type: StorageType) throws {
        try withMembers(type) { (bed, name) throws in
            #expect(try bed.rows(name) == [])
            for number in [2, 1, 3] { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            try bed.database["none"].put([:])
            try bed.claim(name)
            let before = try counters(bed)
            #expect(try bed.rows(name) == ["3 3", "2 2", "1 1"])
            #expect(try bed.rows(name, descending: true) == ["1 1", "2 2", "3 3"])
            #expect(seen.take() == ["1", "2", "3", "none"], "The second query evaluates nothing.")
            #expect(try counters(bed) == before, "No query commits.")
        }
    }

    @Test(arguments: Storage.all) func whatHasChangedSince(_ type: StorageType) throws {
        try withMembers(type) { (bed, name) throws in
            for number in 0..<6 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            try IndexUpdater(bed.database, [name]).run()
            #expect(seen.take().count == 6)
            #expect(try bed.rows(name) == ["5 5", "4 4", "3 3", "2 2", "1 1", "0 0"])
            #expect(seen.take() == [], "The index is up to date.")
            try bed.database["0"].update { $0["n"] = 10 }
            try bed.database["2"].delete()
            try bed.database["4"].purge()
            try bed.database["new"].put(["n": 3])
            let before = try counters(bed)
            let rows = ["10 0", "5 5", "3 3", "3 new", "1 1"]
            #expect(try bed.rows(name) == rows)
            #expect(try bed.rows(name, descending: true) == rows.reversed())
            #expect(seen.take() == ["0", "new"])
            #expect(try counters(bed) == before)
            let three = IndexPosition(key: try unsafe MemberMapper.sortKey(of: Array("3".utf8).span.bytes))
            #expect(try bed.rows(name, in: IndexRange(lower: .including(three))) == ["3 3", "3 new", "1 1"])
            try bed.database["1"].delete()
            #expect(try bed.rows(name) == rows.dropLast())
            #expect(seen.take() == [], "A tail that is known is only continued.")
        }
    }

    @Test(arguments: Storage.all) func aLongTailIsOnlyEvaluatedWhereTheIndexCannotBeUpdated(_ type: StorageType) throws
    {
        try withMembers(type) { (bed, name) throws in
            try IndexUpdater(bed.database, [name]).run()
            for number in 0..<3 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            let rows = ["2 2", "1 1", "0 0"]
            let short = TailLimit(documents: 2, bytes: 1 << 20)
            #expect(try bed.rows(name, within: short) == nil)
            #expect(try bed.rows(name, within: TailLimit(documents: 100, bytes: 10)) == nil)
            #expect(try bed.rows(name, within: TailLimit(documents: 3, bytes: 1 << 20)) == rows)
            try bed.database["3"].put(["n": 3])
            #expect(
                try bed.rows(name, within: TailLimit(documents: 3, bytes: 1 << 20)) == nil,
                "What is evaluated already counts."
            )
            try bed.database.read { (_) throws in #expect(try bed.rows(name, within: short) == ["3 3"] + rows) }
            try bed.database.inTransaction {
                try bed.database["4"].put(["n": 4])
                #expect(try bed.rows(name, within: short) == ["4 4", "3 3"] + rows)
                try bed.database["4"].purge()
            }
            try IndexUpdater(bed.database, [name]).run()
            #expect(try bed.rows(name, within: short) == ["3 3"] + rows)
        }
    }

    /// What a transaction shows may be rolled back.
    @Test(arguments: Storage.all) func rolledBack(_ type: StorageType) throws {
        try withMembers(type) { (bed, name) throws in
            try bed.database["a"].put(["n": 1])
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try bed.database.inTransaction {
                    try bed.database["b"].put(["n": 2])
                    #expect(try bed.rows(name) == ["2 b", "1 a"])
                    try bed.database.read { (_) throws in #expect(try bed.rows(name) == ["2 b", "1 a"]) }
                    throw Stop()
                }
            }
            #expect(try bed.rows(name) == ["1 a"])
            try bed.database["c"].put(["n": 3])
            #expect(try bed.rows(name) == ["3 c", "1 a"])
        }
    }

    /// Whoever writes and reads by turns does not evaluate the whole tail each time, in a transaction or without.
    @Test(arguments: Storage.all, [false, true])
    func writingAndReadingByTurns(_ type: StorageType, inTransaction: Bool) throws {
        try withMembers(type) { (bed, name) throws in
            var expected: [String: Int] = [:]
            for number in 0..<50 {
                try bed.database["\(number)"].put(["n": JSONValue(number)])
                if number < 25 { expected["\(number)"] = number }
            }
            try IndexUpdater(bed.database, [name]).run()
            for number in 25..<50 { try bed.database["\(number)"].purge() }
            _ = seen.take()
            func turns() throws {
                for turn in 0..<120 {
                    let id = "\(turn * 7 % 40)"
                    if turn % 5 == 4 {
                        if expected[id] != nil { try bed.database[id].delete() }
                        expected[id] = nil
                    } else {
                        try bed.database[id].update { $0["n"] = JSONValue(turn % 11) }
                        expected[id] = turn % 11
                    }
                    let rows = expected.sorted { a, b in
                        a.value != b.value ? a.value > b.value : a.key.utf8.lexicographicallyPrecedes(b.key.utf8)
                    }
                    let lines = rows.map { "\($0.value) \($0.key)" }
                    #expect(try bed.rows(name) == lines)
                    #expect(try bed.rows(name, descending: true) == lines.reversed())
                    #expect(seen.take().count <= 1, "Only what was written since is evaluated.")
                }
            }
            if inTransaction { try bed.database.inTransaction { try turns() } } else { try turns() }
            let lines = try bed.rows(name)
            try IndexUpdater(bed.database, [name]).run()
            #expect(try bed.rows(name) == lines)
        }
    }
}
