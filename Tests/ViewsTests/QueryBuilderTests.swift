import Settee
import SetteeTestSupport
import Testing

/// Queries made of conditions.
@Suite struct QueryBuilderTests {
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
            }
            try body(bed.database)
        }
    }

    private func ids(_ query: DatabaseQuery) throws -> [String] { try query.run().compactMap(\.documentID?.string) }

    @Test(arguments: Storage.all) func rangesAndOrder(_ type: StorageType) throws {
        try withBooks(type) { database in
            let builder = try QueryBuilder(
                database,
                where: QueryPlace("/type") == "book" && QueryPlace("/year") >= .parameter("from")
                    && QueryPlace("/year") < .parameter("to"),
                orderBy: [.ascending("/year")],
                value: QueryPlace("/title")
            )
            let query = try builder.query(["from": 1817, "to": 1901])
            #expect(try ids(query) == ["Persuasion", "Dracula"])
            #expect(try query.run().map(\.value) == ["Persuasion", "Dracula"])
            #expect(try ids(builder.query(["from": 0, "to": 10_000])) == ["Emma", "Persuasion", "Dracula", "Kim"])
            #expect(try ids(builder.query(["from": "0", "to": "z"])) == ["text"], "Unlike types do not compare.")
            #expect(builder.explain().contains("range of the key: /year >= $from and /year < $to"))
        }
    }

    @Test(arguments: Storage.all) func equalityThenOrder(_ type: StorageType) throws {
        try withBooks(type) { database in
            let builder = try QueryBuilder(
                database,
                where: QueryPlace("/author") == .parameter("author") && QueryPlace("/year") > .parameter("after"),
                orderBy: [.descending("/year")]
            )
            #expect(try ids(builder.query(["author": "Austen", "after": 0])) == ["Persuasion", "Emma"])
            #expect(try ids(builder.query(["author": "Austen", "after": 1815])) == ["Persuasion"])
            #expect(try ids(builder.query(["author": "Kipling", "after": 1])) == ["other", "Kim"])
        }
    }

    @Test(arguments: Storage.all) func beginningsAndChecks(_ type: StorageType) throws {
        try withBooks(type) { database in
            let builder = try QueryBuilder(
                database,
                where: QueryPlace("/title").begins(with: .parameter("start"))
                    && QueryPlace("/author") != .parameter("not"),
                orderBy: [.ascending("/author")]
            )
            #expect(try ids(builder.query(["start": "K", "not": "Austen"])).sorted() == ["Kim", "other"])
            #expect(try ids(builder.query(["start": "", "not": "Kipling"])).count == 5)
            #expect(builder.explain().contains("checked row by row: /title begins with $start"))
        }
    }

    @Test(arguments: Storage.all) func withoutParameters(_ type: StorageType) throws {
        try withBooks(type) { database in
            let builder = try QueryBuilder(database, where: QueryPlace("/type") == "film")
            #expect(try ids(builder.query()) == ["other"])
            let all = try QueryBuilder(database, orderBy: [.ascending("/year")])
            #expect(try ids(all.query()) == ["Undated", "Emma", "Persuasion", "Dracula", "Kim", "other", "text"])
        }
    }

    @Test func wrongUse() throws {
        try withBooks(.memory) { database in
            expectError(.badParameter) { _ = try QueryBuilder(database, where: QueryPlace("type") == 1) }
            expectError(.badParameter) {
                _ = try QueryBuilder(database, orderBy: [.ascending("/a"), .descending("/b")])
            }
            let builder = try QueryBuilder(database, where: QueryPlace("/a") == .parameter("a"))
            expectError(.badParameter) { _ = try builder.query() }
            expectError(.badParameter) { _ = try builder.query(["a": 1, "b": 2]) }
            #expect(try database.viewNames() == [], "What is refused defines nothing.")
        }
    }
}
