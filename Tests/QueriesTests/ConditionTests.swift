import Settee
import SetteeTestSupport
import Testing

/// Questions from conditions in Swift, with and without indexes.
@Suite struct ConditionTests {
    private func withBooks(_ type: StorageType, _ body: (Database) throws -> Void) throws {
        try withDatabase(type) { (bed) throws in
            let books: [(String, String, Int?)] = [
                ("Emma", "Austen", 1815), ("Persuasion", "Austen", 1817), ("Dracula", "Stoker", 1897),
                ("Kim", "Kipling", 1901), ("Undated", "Austen", nil),
            ]
            try bed.database.inTransaction {
                for (title, author, year) in books {
                    var body: JSONObject = ["type": "book", "title": .string(title), "author": .string(author)]
                    if let year { body["year"] = JSONValue(year) }
                    try bed.database[title].put(body)
                }
                try bed.database["other"].put(["type": "film", "title": "Kim", "author": "Kipling", "year": 1950])
                try bed.database["text"].put(["type": "book", "title": "Text", "author": "Nobody", "year": "1900"])
                try bed.database["_design/d"].put(["type": "book", "year": 1850])
                try bed.database["gone"].put(["type": "book", "year": 1850])
                try bed.database["gone"].delete()
            }
            // The same without an index, with indexes that are built while they are used, and with built ones.
            try body(bed.database)
            try bed.database.createIndex("byYear", on: [.ascending("type"), .ascending("year")])
            try bed.database.createIndex("byAuthor", on: [.ascending("author"), .descending("year")])
            try bed.database.createIndex("byTitle", on: [.ascending("title")])
            try body(bed.database)
            for index in try bed.database.indexes() { try bed.database.updateIndex(named: index.name) }
            try body(bed.database)
        }
    }

    private func ids(_ query: FindQuery) throws -> [String] {
        let rows = try query.run()
        #expect(try query.count() == rows.count)
        #expect(try query.first() == rows.first)
        return rows.map(\.documentID.string)
    }

    @Test(arguments: Storage.every) func rangesAndOrder(_ type: StorageType) throws {
        try withBooks(type) { (database) throws in
            func books(_ from: JSONValue, _ to: JSONValue) throws -> FindQuery {
                let condition = field("type") == "book" && field("year") >= from && field("year") < to
                return try database.find(condition, sort: [.ascending("year")])
            }
            #expect(try ids(books(1817, 1901)) == ["Persuasion", "Dracula"])
            #expect(try ids(books(0, 10_000)) == ["Emma", "Persuasion", "Dracula", "Kim"])
            #expect(try ids(books(0, "z")) == ["Emma", "Persuasion", "Dracula", "Kim", "text"], "Strings are greater.")
            #expect(try ids(books("0", "z")) == ["text"])
            let range = try database.find(field("year").in(1815...1897) && field("type") == "book")
            #expect(try ids(range).sorted() == ["Dracula", "Emma", "Persuasion"])
            #expect(try ids(database.find(field("year").in(1815..<1897))).sorted() == ["Emma", "Persuasion"])
        }
    }

    @Test(arguments: Storage.every) func equalityThenOrder(_ type: StorageType) throws {
        try withBooks(type) { (database) throws in
            func after(_ author: String, _ year: Int) throws -> [String] {
                try ids(
                    database.find(field("author") == author && field("year") > year, sort: [.descending("year")])
                )
            }
            #expect(try after("Austen", 0) == ["Persuasion", "Emma"])
            #expect(try after("Austen", 1815) == ["Persuasion"])
            #expect(try after("Kipling", 1) == ["other", "Kim"])
        }
    }

    @Test(arguments: Storage.every) func beginningsAndSets(_ type: StorageType) throws {
        try withBooks(type) { (database) throws in
            let beginning = field("title").begins(with: "K") && field("author") != "Austen"
            #expect(try ids(database.find(beginning, sort: [.ascending("_id")])) == ["Kim", "other"])
            let any = field("title").begins(with: "") && field("author") != "Kipling"
            #expect(try ids(database.find(any)).count == 5)
            let some = field("author").in(["Austen", "Stoker"]) && field("year").exists
            #expect(try ids(database.find(some, sort: [.ascending("year")])) == ["Emma", "Persuasion", "Dracula"])
            let either = field("title") == "Emma" || field("author") == "Stoker" || field("year").isMissing
            #expect(try ids(database.find(either)).sorted() == ["Dracula", "Emma", "Undated"])
            #expect(try ids(database.find(.any(field("title") == "Emma", [field("title") == "Kim"]))).count == 3)
            #expect(try ids(database.find(.all([field("title") == "Kim", field("year") < 1950]))) == ["Kim"])
        }
    }

    @Test(arguments: Storage.every) func withoutConditions(_ type: StorageType) throws {
        try withBooks(type) { (database) throws in
            #expect(try ids(database.find(field("type") == "film")) == ["other"])
            let all = try database.find([:], sort: [.ascending("year")])
            #expect(try ids(all) == ["Undated", "Emma", "Persuasion", "Dracula", "Kim", "other", "text"])
            let backwards = try database.find(.all([]), sort: [.descending("year")])
            #expect(try ids(backwards) == ["text", "other", "Kim", "Dracula", "Persuasion", "Emma", "Undated"])
            let mixed = try database.find([:], sort: [.ascending("author"), .descending("year")], limit: 4, skip: 1)
            #expect(try ids(mixed) == ["Emma", "Undated", "other", "Kim"])
        }
    }

    /// A field that is missing fails every condition but `isMissing`, negated or not.
    @Test(arguments: Storage.every) func missingFields(_ type: StorageType) throws {
        try withBooks(type) { (database) throws in
            #expect(try !ids(database.find(field("year") != 1815)).contains("Undated"))
            #expect(try !ids(database.find(!(field("year") == 1815))).contains("Undated"))
            #expect(try ids(database.find(field("year").isMissing)) == ["Undated"])
            #expect(try ids(database.find(field("year").isNull)) == [])
        }
    }

    @Test func wrongUse() throws {
        try withBooks(.memory) { (database) throws in
            expectError(.badRequest) { _ = try database.find(field("a..b") == 1) }
            expectError(.badRequest) { _ = try database.find(["a": ["$bogus": 1]]) }
            expectError(.badRequest) { _ = try database.find([:], sort: [.ascending("a..b")]).run() }
            expectError(.badRequest) { _ = try database.find([:], fields: [""]).run() }
            expectError(.badParameter) { _ = try database.find([:], limit: -1).run() }
            expectError(.badParameter) { _ = try database.find([:], skip: -1).count() }
        }
    }

    /// A question leaves nothing behind, however often it is asked with other values.
    @Test(arguments: Storage.every) func nothingIsStored(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            try bed.database.inTransaction {
                for number in 0..<50 { try bed.database["d\(number)"].put(["name": .string("n\(number)")]) }
            }
            let before = try bed.database.contentDigest()
            let counter = try bed.database.statistics().lastSequence
            for number in 0..<50 {
                let name = "n\(number)"
                #expect(try ids(bed.database.find(field("name") == name)) == ["d\(number)"])
            }
            #expect(try bed.database.viewNames() == [])
            #expect(try bed.database.indexes().isEmpty)
            #expect(try bed.database.contentDigest() == before)
            #expect(try bed.database.statistics().lastSequence == counter)
        }
    }
}
