import Settee
import SetteeTestSupport
import Testing

/// Options that contradict each other are refused; the table of docs/guide/querying.md lists them.
@Suite struct QueryOptionTests {
    private func code(_ query: DatabaseQuery, _ change: (inout DatabaseQuery) -> Void) -> StorageError.Code? {
        var query = query
        change(&query)
        do {
            _ = try query.run()
            return nil
        } catch {
            return (error as? StorageError)?.code
        }
    }

    @Test(arguments: Storage.all) func contradictionsAre495(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try database["a"].put(["n": 1])
            let plain = database.view("plain")
            try plain.setMap(version: "1") { document, emit in emit(document["n"], 1) }
            let reduced = database.view("reduced")
            try reduced.setMap(version: "1", reduce: .sum) { document, emit in emit(document["n"], 1) }
            let views = [plain.query(), reduced.query()]
            let all = AllDocumentsMode.allCases.map { database.allDocumentsQuery($0) }
            for query in views + all {
                #expect(code(query) { $0.limit = -1 } == .badParameter)
                #expect(code(query) { $0.skip = -1 } == .badParameter)
                #expect(code(query) { $0.prefixMatchLevel = -1 } == .badParameter)
                #expect(code(query) { $0.groupLevel = -1 } == .badParameter)
                #expect(code(query) { ($0.mapOnly, $0.reduce) = (true, true) } == .badParameter)
                #expect(code(query) { ($0.mapOnly, $0.group) = (true, true) } == .badParameter)
                #expect(code(query) { ($0.mapOnly, $0.groupLevel) = (true, 1) } == .badParameter)
                #expect(code(query) { ($0.limit, $0.skip, $0.descending) = (0, 5, true) } == nil)
            }
            for query in all {
                #expect(code(query) { $0.reduce = true } == .badParameter)
                #expect(code(query) { $0.mapOnly = true } == .badParameter)
                #expect(code(query) { $0.group = true } == .badParameter)
                #expect(code(query) { $0.groupLevel = 1 } == .badParameter)
                #expect(code(query) { $0.reduce = false } == nil)
                #expect(code(query) { ($0.includeDocs, $0.update) = (true, .never) } == nil)
            }
            for query in all.dropLast() { #expect(code(query) { $0.startKey = 5 } == .badParameter) }
            #expect(code(all[all.count - 1]) { $0.startKey = "a" } == .badParameter)
            #expect(code(views[0]) { $0.reduce = true } == .badParameter)
            #expect(code(views[0]) { $0.mapOnly = true } == nil)
            for query in views {
                #expect(code(query) { $0.group = true } == nil)
                #expect(code(query) { ($0.reduce, $0.groupLevel) = (false, 1) } == nil)
            }
        }
    }

    @Test(arguments: Storage.all) func rowsAreSortedByPlaces(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let bodies: [(String, JSONObject)] = [
                ("a", ["year": 1982, "title": "b"]), ("b", ["year": 1968, "title": "a"]),
                ("c", ["year": 1982, "title": "a"]), ("d", ["title": "c"]), ("e", ["year": .null, "title": "\u{E9}"]),
            ]
            for (id, body) in bodies { try database[id].put(body) }
            let view = database.view("v")
            try view.setMap(version: "1") { document, emit in
                emit(document["title"], ["year": document["year"], "id": document.id])
            }
            let result = try view.query(includeDocs: true).run()
            func ids(_ orders: [RowOrder]) throws -> [String] {
                try result.sorted(by: orders).compactMap { $0.documentID?.string }
            }
            let year = try JSONPointer("/year")
            #expect(try ids([.ascending(.document, year), .ascending(.key)]) == ["d", "e", "b", "c", "a"])
            #expect(
                try ids([.descending(.document, year), .descending(.document, JSONPointer("/title"))]) == [
                    "a", "c", "b", "e", "d",
                ]
            )
            #expect(try ids([.descending(.documentID)]) == ["e", "d", "c", "b", "a"])
            #expect(try ids([.ascending(.value, JSONPointer("/id"))]) == ["a", "b", "c", "d", "e"])
            // Rows that are equal keep their order, that of the keys.
            #expect(try ids([]) == result.compactMap { $0.documentID?.string })
            #expect(try ids([.ascending(.key, JSONPointer("/none"))]) == result.compactMap { $0.documentID?.string })
        }
    }

    @Test(arguments: Storage.all) func whatAProgramHasSetCanBeAskedFor(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let view = bed.database.view("v")
            #expect(try view.map == nil && view.version == nil && view.reduce == nil)
            try view.setMap(version: "7", reduce: .count) { document, emit in emit(document["n"]) }
            #expect(try view.version == "7" && view.reduce != nil)
            let map = try #require(try view.map)
            let copy = bed.database.view("copy")
            try copy.setMap(version: "1", map)
            try bed.database["a"].put(["n": 1])
            #expect(try copy.query().run().map(\.key) == [1])
            try view.delete()
            #expect(try view.map == nil && view.version == nil)
        }
    }
}
