import Settee
import SetteeTestSupport
import Testing

/// If an index cannot be written, what it lacks is computed in memory.
@Suite struct ReadOnlyViewTests {
    private func setMap(_ database: Database, _ counter: MapCounter? = nil) throws {
        try database.view("view").setMap(version: "1") { document, emit in
            counter?.note(document)
            if let n = document["n"] { emit(n, document["v"]) }
        }
    }

    /// The bed's database, opened for reading only by a manager of its own.
    private func withReadOnly(_ bed: TestDatabase, _ body: (Database) throws -> Void) throws {
        try bed.database.close()
        let before = try listing(of: bed.folder.url)
        let manager = try Manager(
            directory: bed.folder.url,
            options: .init(readOnly: true),
            engines: [Storage.factory(bed.type)]
        )
        try body(manager.database(named: "test"))
        try manager.close()
        #expect(try listing(of: bed.folder.url) == before, "Nothing in the folder changed.")
        try bed.reopen()
    }

    @Test(arguments: Storage.plainPersistent) func aViewThatWasNeverBuilt(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            for number in 0..<300 { try bed.database["\(number)"].put(["n": JSONValue(number), "v": "x"]) }
            try bed.database["0"].delete()
            try withReadOnly(bed) { database in
                let counter = MapCounter()
                try setMap(database, counter)
                let query = database.view("view").query()
                for _ in 0..<2 {
                    #expect(try query.keyList() == (1..<300).map { JSONValue($0) })
                    #expect(
                        try query.with { $0.descending = true }.keyList() == (1..<300).reversed().map { JSONValue($0) }
                    )
                    #expect(
                        try query.with { ($0.startKey, $0.limit) = (100, 2) }.lines() == [
                            #"100 "x" 100"#, #"101 "x" 101"#,
                        ]
                    )
                    #expect(try query.with { $0.keys = [7, 3, 0] }.lines() == [#"3 "x" 3"#, #"7 "x" 7"#])
                    #expect(try query.with { $0.update = .never }.lines() == [])
                }
                #expect(counter.take().count == 299, "What was made is kept.")
                #expect(try database.view("view").status()?.rowCount == 0)
                expectError(.readOnly) { try database.view("view").updateIndex() }
                expectError(.readOnly) { try database.view("view").deleteIndex() }
                expectError(.readOnly) { try database.view("view").delete() }
                expectError(.readOnly) { try database.view("view").define(ViewDefinition(keys: [JSONPointer("/n")])) }
            }
        }
    }

    @Test(arguments: Storage.plainPersistent) func anIndexThatIsBehind(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed.database)
            for number in 0..<10 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            try bed.view().updateIndex()
            try bed.database["0"].delete()
            try bed.database["1"].purge()
            try bed.database["2"].update { $0["n"] = 6 }
            try bed.database["3"].update { $0["n"] = nil }
            try bed.database["4"].update { $0["v"] = "new" }
            try bed.database["5"].update { $0["other"] = "new" }
            try bed.database["a"].put(["n": 100])
            try bed.database["b"].put(["n": 6])
            let lines = [
                #"4 "new" 4"#, "5 - 5", "6 - 2", "6 - 6", "6 - b", "7 - 7", "8 - 8", "9 - 9", "100 - a",
            ]
            try withReadOnly(bed) { database in
                let counter = MapCounter()
                try setMap(database, counter)
                let query = database.view("view").query()
                #expect(try query.lines() == lines)
                #expect(counter.take() == ["2", "3", "4", "5", "a", "b"], "Only what the index lacks.")
                #expect(try query.with { $0.descending = true }.lines() == lines.reversed())
                for skip in 0..<10 {
                    for limit in 0..<10 {
                        let some = query.with { ($0.skip, $0.limit) = (skip, limit) }
                        #expect(try some.lines() == Array(lines.dropFirst(skip).prefix(limit)))
                        let reversed = Array(lines.reversed().dropFirst(skip).prefix(limit))
                        #expect(try some.with { $0.descending = true }.lines() == reversed)
                    }
                }
                let middle = query.with { ($0.startKey, $0.startKeyDocID, $0.endKey) = (6, "3", 9) }
                #expect(try middle.lines() == Array(lines[3...7]))
                #expect(try middle.with { $0.inclusiveEnd = false }.lines() == Array(lines[3...6]))
                #expect(try query.with { $0.keys = [100, 6, 0, 1] }.lines() == Array(lines[2...4]) + [lines[8]])
                #expect(try query.with { $0.update = .never }.run().count == 10)
                #expect(counter.take() == [])
            }
            #expect(try bed.view().query(update: .never).run().count == 10)
        }
    }

    /// Rows have their document's sequence, whether they come from the index or not.
    @Test(arguments: Storage.all) func sequencesAreThoseOfTheDocuments(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed.database)
            for id in ["a", "b"] { try bed.database[id].put(["n": 1]) }
            try bed.view().updateIndex()
            func expect(_ sequences: [UInt64], sourceLocation: SourceLocation = #_sourceLocation) throws {
                let query = bed.view().query()
                #expect(try query.run().map(\.sequence) == sequences, sourceLocation: sourceLocation)
                var handed: [UInt64] = []
                try query.forEach { handed.append($0.sequence) }
                #expect(handed == sequences, sourceLocation: sourceLocation)
                #expect(try query.first()?.sequence == sequences.first, sourceLocation: sourceLocation)
            }
            try expect([1, 2])
            try bed.database["a"].update { $0["x"] = 1 }
            try bed.database["c"].put(["n": 2])
            try bed.database.read { (_) throws in try expect([3, 2, 4]) }
            try expect([3, 2, 4])
            try bed.view().deleteIndex()
            try bed.database.read { (_) throws in try expect([3, 2, 4]) }
        }
    }

    @Test(arguments: Storage.all) func insideReadAQueryShowsThatState(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let counter = MapCounter()
            try setMap(bed.database, counter)
            let (database, query) = (bed.database, bed.view().query())
            for id in ["a", "b"] { try database[id].put(["n": 1]) }
            try database.read { (_) throws in
                #expect(try query.lines() == ["1 - a", "1 - b"])
                // Others write and update the index; this state stays.
                try Background {
                    try database["a"].update { $0["n"] = 2 }
                    try database["b"].purge()
                    try database["c"].put(["n": 3])
                    _ = try query.run()
                }.join()
                #expect(try query.lines() == ["1 - a", "1 - b"])
                #expect(try database.view("view").status()?.rowCount == 0)
            }
            try database.read { (_) throws in
                #expect(try query.lines() == ["2 - a", "3 - c"])
            }
            _ = counter.take()
            try database["d"].put(["n": 4])
            for _ in 0..<3 {
                try database.read { (_) throws in
                    #expect(try query.lines() == ["2 - a", "3 - c", "4 - d"])
                    #expect(try database.view("view").status()?.isStale == true)
                }
            }
            #expect(counter.take() == ["d"])
            #expect(try query.lines() == ["2 - a", "3 - c", "4 - d"])
        }
    }

    /// Rows that were computed in memory follow purges, even if a compaction has made the database forget them in
    /// between.
    @Test(arguments: Storage.all) func purgesThatACompactionForgot(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed.database)
            let query = bed.view().query()
            for id in ["a", "b"] { try bed.database[id].put(["n": 1]) }
            try bed.database.read { (_) throws in #expect(try query.lines() == ["1 - a", "1 - b"]) }
            try bed.database["a"].purge()
            try bed.database.compact()
            try bed.database.read { (_) throws in #expect(try query.lines() == ["1 - b"]) }
            #expect(try query.lines() == ["1 - b"])
        }
    }

    /// In a folder that cannot be written, the view's current version may differ from the stored one.
    @Test(arguments: Storage.plainPersistent) func anotherVersionThanTheStoredOne(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed.database)
            try bed.database["a"].put(["n": 1])
            try bed.view().updateIndex()
            try withReadOnly(bed) { database in
                let view = database.view("view")
                try view.setMap(version: "2") { document, emit in emit("two", document["n"]) }
                #expect(try view.query().lines() == [#""two" 1 a"#])
                try setMap(database)
                #expect(try view.query().lines() == ["1 - a"])
            }
        }
    }

    @Test(arguments: Storage.plainPersistent) func aStoredDefinition(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let definition = ViewDefinition(keys: [try JSONPointer("/n")], value: try JSONPointer(""))
            try bed.view().define(definition)
            try bed.database["a"].put(["n": 1])
            try bed.view().updateIndex()
            try bed.database["b"].put(["n": 2])
            try withReadOnly(bed) { database in
                #expect(try database.viewNames() == ["view"])
                #expect(try database.view("view").definition() == definition)
                let rows = try database.view("view").query().run()
                #expect(rows.map(\.key) == [1, 2])
                #expect(rows.map { $0.value?["_id"] } == ["a", "b"])
                #expect(try database.view("view").query(update: .never).run().count == 1)
            }
        }
    }
}
