import Settee
import SetteeQueries
import SetteeTestSupport
import StorageProtocol
import Testing

/// What `find` returns, in all its forms.
@Suite struct FindTests {
    private func fill(_ db: Database, _ count: Int = 50) throws {
        try db.inTransaction {
            for number in 0..<count {
                try db["d\(number)"].put([
                    "n": number, "mod": number % 5, "name": "name \(number % 7)", "tags": ["all", "t\(number % 3)"],
                    "inner": ["x": number % 2 == 0],
                ])
            }
        }
    }

    private func ids(_ rows: [FindRow]) -> [String] { rows.map(\.documentID.string) }

    @Test(arguments: Storage.every) func selectorsAndConditions(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db)
            let wanted = 3
            let names = ["name 1", "name 2"]
            #expect(try db.find(["mod": 3]).count() == 10)
            #expect(try db.find(field("mod") == wanted).count() == 10)
            #expect(try db.find(field("mod") == wanted && field("n") < 20).count() == 4)
            #expect(try db.find(field("mod") == wanted || field("n") < 20).count() == 26)
            #expect(try db.find(!(field("mod") == wanted)).count() == 40)
            #expect(try db.find(field("name").in(names) && field("tags").contains("t1")).count() == 5)
            #expect(try db.find(field("n").in(10...12)).count() == 3)
            #expect(try db.find(field("n").in(10..<12)).count() == 2)
            #expect(try db.find(field("inner.x") == true).count() == 25)
            #expect(try db.find(field("absent").isMissing).count() == 50)
            #expect(try db.find(field("absent").exists).count() == 0)
            #expect(try db.find(field("name").begins(with: "name 6")).count() == 7)
            #expect(try db.find(field("name").matches("[56]$")).count() == 14)
            #expect(try db.find(FieldCondition.all([])).count() == 50)
            #expect(try db.find([:]).count() == 50)
        }
    }

    @Test(arguments: Storage.all) func orderLimitSkipAndFields(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db)
            let order: [FindOrder] = [.descending("mod"), .ascending("n")]
            let rows = try db.find([:], fields: ["n", "inner.x", "tags.0", "absent"], sort: order, limit: 3, skip: 1)
                .run()
            #expect(ids(rows) == ["d9", "d14", "d19"])
            #expect(try rows[0].properties == ["n": 9, "inner": ["x": false], "tags": ["0": "all"]])
            #expect(rows[0]["n"] == 9 && rows[0]["mod"] == nil)
            let whole = try #require(try db.find(["n": 7]).first())
            #expect(whole["_id"] == "d7" && whole["_rev"]?.stringValue == whole.revision.id.string)
            // Documents that lack a field come first; those that are equal are ordered by their IDs.
            try db["z"].put(["x": 1])
            try db["y"].put(["x": 1])
            #expect(ids(try db.find([:], sort: [.ascending("n")], limit: 3).run()) == ["y", "z", "d0"])
            #expect(ids(try db.find([:], sort: [.descending("n")]).run().suffix(3)) == ["d0", "z", "y"])
            #expect(try db.find([:], limit: 0).run().isEmpty)
            expectError(.badParameter) { try db.find([:], limit: -1).run() }
            expectError(.badParameter) { try db.find([:], skip: -1).run() }
            expectError(.badRequest) { try db.find([:], sort: [.ascending("a..b")]).run() }
            expectError(.badRequest) { try db.find([:], fields: [""]).run() }
            expectError(.badRequest) { _ = try db.find(["$foo": 1]) }
        }
    }

    @Test(arguments: Storage.all) func deletedAndDesignDocumentsAreNotFound(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try fill(db, 10)
            try db["d3"].delete()
            try db["d4"].purge()
            try db["_design/x"].put(["n": 1])
            try db["_local/x"].put(["n": 1])
            for hasIndex in [false, true] {
                if hasIndex {
                    try db.createIndex("n", on: [.ascending("n")])
                    try db.updateIndex(named: "n")
                }
                #expect(ids(try db.find(["n": ["$lt": 6]], sort: [.ascending("n")]).run()) == ["d0", "d1", "d2", "d5"])
            }
        }
    }

    @Test(arguments: Storage.all) func otherForms(_ type: StorageType) async throws {
        try await withOpenDatabase(type) { db in
            try fill(db, 700)
            let query = try db.find(["mod": 2], sort: [.ascending("n")])
            let wanted = ids(try query.run())
            #expect(wanted.count == 140)
            #expect(ids(try await query.runAsync()) == wanted)
            for query in [query, try db.find(["mod": 2])] {
                var streamed: [String] = []
                for try await row in query.stream() { streamed.append(row.documentID.string) }
                #expect(streamed.sorted() == wanted.sorted())
                var passed: [String] = []
                try query.forEach { row in
                    passed.append(row.documentID.string)
                    // It may use the database.
                    if passed.count == 1 { try db["later"].update { $0["mod"] = 0 } }
                }
                #expect(passed.sorted() == wanted.sorted())
            }
            let counted = try db.read { _ in try query.count() }
            #expect(counted == 140)
            try db.inTransaction {
                try db["new"].put(["mod": 2, "n": -1])
                #expect(try query.first()?.documentID.string == "new")
            }
        }
    }

    /// Ranges of IDs that threads read have documents in very different numbers.
    @Test(arguments: Storage.all) func manyDocumentsOnAllCores(_ type: StorageType) throws {
        try withOpenDatabase(type) { db in
            try db.inTransaction {
                for number in 0..<4000 {
                    // In very different numbers between two bytes.
                    let id =
                        number % 100 == 0
                        ? "\(Character(Unicode.Scalar(UInt8(97 + number / 200))))\(number)" : "n-\(number)"
                    try db[DocumentID(id)].put(["n": number, "even": number % 2 == 0])
                }
            }
            #expect(try db.find(["even": true]).count() == 2000)
            let rows = try db.find(["even": true]).run()
            #expect(rows.count == 2000 && Set(ids(rows)).count == 2000)
            let first = try db.find(["even": true], sort: [.descending("n")], limit: 3, skip: 2).run()
            #expect(first.map { $0["n"] } == [3994, 3992, 3990])
            #expect(try db.find(["even": true], skip: 1990).count() == 10)
        }
    }

    @Test func literalsAndVariablesMakeOneSelector() throws {
        let type = "a"
        let list = [1, 2]
        let condition = field("type") == type && !field("n").in(list) || field("$x").exists
        let expected: JSONObject = [
            "$or": [
                ["$and": [["type": ["$eq": "a"]], ["$not": ["n": ["$in": [1, 2]]]]]],
                ["\\$x": ["$exists": true]],
            ]
        ]
        #expect(condition.selector == expected)
    }
}
