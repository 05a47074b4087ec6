import Settee
import SetteeTestSupport
import Testing

/// Queries and results are values.
@Suite struct QueryValueTests {
    private func setMap(_ bed: TestDatabase) throws {
        try bed.view().setMap(version: "1") { document, emit in emit(document["n"], document["v"]) }
    }

    @Test(arguments: Storage.all) func queriesAreComparedByTheirOptions(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let filter = QueryFilter { _ in true }
            let changes: [(inout DatabaseQuery) -> Void] = [
                { _ in }, { $0.startKey = .some(.null) }, { $0.startKey = 1 }, { $0.endKey = 1 },
                { $0.startKeyDocID = "é" },
                { $0.startKeyDocID = "e\u{301}" }, { $0.endKeyDocID = "é" }, { $0.inclusiveStart = false },
                { $0.inclusiveEnd = false }, { $0.keys = [] }, { $0.keys = [1] }, { $0.descending = true },
                { $0.limit = 0 },
                { $0.limit = 1 }, { $0.skip = 1 }, { $0.prefixMatchLevel = 1 }, { $0.postFilter = filter },
                { $0.postFilter = QueryFilter { _ in true } }, { $0.mapOnly = true }, { $0.reduce = true },
                { $0.reduce = false }, { $0.group = true }, { $0.groupLevel = 1 }, { $0.includeDocs = true },
                { $0.update = .never }, { $0.update = .after },
            ]
            var queries = changes.map { bed.view().query().with($0) }
            queries += [bed.view("View").query(), bed.view("café").query(), bed.view("cafe\u{301}").query()]
            for mode in AllDocumentsMode.allCases { queries.append(bed.database.allDocumentsQuery(mode)) }
            for (place, query) in queries.enumerated() {
                for (otherPlace, other) in queries.enumerated() {
                    #expect((query == other) == (place == otherPlace), "\(place) \(otherPlace)")
                }
            }
            #expect(bed.view().query().with { $0.postFilter = filter } == queries[16])
            #expect(bed.view().query(startKey: 1.0, limit: 5) == bed.view().query(startKey: 1, limit: 5))
            try withDatabase(.memory) { (other) throws in #expect(other.view().query() != bed.view().query()) }
        }
    }

    @Test(arguments: Storage.all) func theyAreChangedAndRunAgain(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            // Before the view exists.
            var query = bed.view().query(startKey: 2)
            expectError(.notFound) { try query.run() }
            try setMap(bed)
            #expect(try query.run().isEmpty)
            for number in 1...5 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            #expect(try query.sources() == ["2", "3", "4", "5"])
            let copy = query
            query.limit = 2
            #expect(try query.sources() == ["2", "3"])
            query.descending = true
            #expect(try query.sources() == ["2", "1"])
            (query.startKey, query.limit) = (nil, nil)
            #expect(try query.sources() == ["5", "4", "3", "2", "1"])
            try bed.database["3"].delete()
            #expect(try query.sources() == ["5", "4", "2", "1"])
            #expect(try copy.sources() == ["2", "4", "5"])
        }
    }

    @Test(arguments: Storage.all) func resultsAreCollections(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed)
            let query = bed.view().query()
            let empty = try query.run()
            #expect(empty.isEmpty && empty.count == 0 && empty.first == nil)
            for number in 1...5 { try bed.database["\(number)"].put(["n": JSONValue(number)]) }
            #expect(empty.isEmpty, "A result stays as it was.")
            let result = try query.run()
            #expect(result.count == 5)
            #expect(result.query == query)
            #expect(result.lastSequence == 5)
            #expect(result[0].key == 1 && result[4].key == 5)
            #expect(result[1...2].map(\.key) == [2, 3])
            #expect(result.reversed().map(\.documentID?.string) == ["5", "4", "3", "2", "1"])
            #expect(result.firstIndex { $0.key == 3 } == 2)
            #expect(try !result.isStale())
            #expect(try empty.isStale())
            // A commit without a document is no change; any document is a change, whether the view shows it or not.
            try bed.database.info.set("1", for: "x")
            #expect(try !result.isStale())
            try bed.database["other"].put([:])
            #expect(try result.isStale())
            let later = try query.run()
            #expect(later == result, "Though other documents changed, the rows are the same.")
            #expect(try !later.isStale())
            try bed.database.inTransaction {
                try bed.database["6"].put(["n": 6])
                #expect(try later.isStale())
                #expect(try !query.run().isStale())
            }
            try bed.database["6"].purge()
            #expect(try query.run() == later)
            try bed.database.close()
            expectError(.notOpen) { try later.isStale() }
            #expect(later.map(\.key) == [1, 2, 3, 4, 5])
        }
    }

    /// What a row shows decides whether it has changed; if it shows nothing of its document, the document's sequence
    /// decides.
    @Test(arguments: Storage.all) func resultsAreComparedByWhatTheyShow(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.view("value").setMap(version: "1") { document, emit in emit(document["n"], document["v"] ?? .null) }
            try bed.view("none").setMap(version: "1") { document, emit in emit(document["n"]) }
            try bed.view("whole").setMap(version: "1") { document, emit in emit(document["n"], document) }
            let value = bed.view("value").query()
            let queries = [
                value, bed.view("none").query(), bed.view("whole").query(), value.with { $0.includeDocs = true },
                value.with { $0.limit = 1 },
            ]
            for id in ["a", "b"] { try bed.database[id].put(["n": 1, "v": .string(id)]) }
            /// Whether each query's result differs after a change.
            func differ(_ change: () throws -> Void) throws -> [Bool] {
                let before = try queries.map { try $0.run() }
                for (query, result) in zip(queries, before) { #expect(try query.run() == result) }
                try change()
                let after = try queries.map { try $0.run() }
                for (place, query) in queries.enumerated() {
                    // The same rows, wherever they come from.
                    try bed.database.read { (_) throws in #expect(try query.run() == after[place]) }
                }
                return zip(before, after).map { $0 != $1 }
            }
            #expect(try differ {} == [false, false, false, false, false])
            #expect(try differ { try bed.database["c"].put([:]) } == [false, false, false, false, false])
            #expect(try differ { try bed.database["b"].update { $0["x"] = 1 } } == [false, true, true, true, false])
            #expect(try differ { try bed.database["b"].update { $0["v"] = 1 } } == [true, true, true, true, false])
            #expect(try differ { try bed.database["b"].update { $0["n"] = 2 } } == [true, true, true, true, false])
            #expect(try differ { try bed.database["a"].purge() } == [true, true, true, true, true])
            #expect(try queries[0].run() == queries[4].run(), "The rows count, not the query.")
            #expect(try queries[0].run() != queries[1].run())
        }
    }

    @Test(arguments: Storage.all) func conflictsOfARowsDocument(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.view().setMap(version: "1") { document, emit in
                emit(.string(document.id.string), document["to"])
            }
            try bed.database["plain"].put(["to": ["_id": "torn"]])
            try bed.database.insert("torn", ["1-a"], ["n": 1])
            try bed.database.insert("torn", ["1-b"], ["n": 2])
            let rows = try bed.view().query().run()
            #expect(
                try rows.map { try $0.conflictingRevisions().map(\.id.string) } == [["1-b", "1-a"], ["1-b", "1-a"]]
            )
            try bed.database["plain"].update { $0["to"] = nil }
            #expect(try bed.view().query().first()?.conflictingRevisions().count == 1)
            let documents = try bed.database.allDocumentsQuery().run()
            #expect(try documents.map { try $0.conflictingRevisions().count } == [1, 2])
        }
    }

    /// The closure that gets the rows may use the database, and end the query.
    @Test(arguments: Storage.all) func rowsAreHandedOutsideTheDatabase(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try setMap(bed)
            try bed.database.put((0..<600).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
            var keys: [JSONValue] = []
            try bed.view().query(limit: 3).forEach { row in
                keys.append(row.key)
                try row.document?.update { $0["n"] = "changed" }
                #expect(try bed.view().query(keys: ["changed"]).run().count == keys.count)
            }
            #expect(keys == [0, 1, 2])
            var handed = 0
            expectApplicationError(7) {
                try bed.view().query().forEach { _ in
                    handed += 1
                    if handed == 300 { throw ApplicationError(number: 7) }
                }
            }
            #expect(handed == 300)
            expectApplicationError(8) {
                try bed.view().query().with { $0.postFilter = QueryFilter { _ in throw ApplicationError(number: 8) } }
                    .run()
            }
        }
    }
}
