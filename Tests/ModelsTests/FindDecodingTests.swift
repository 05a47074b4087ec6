import Settee
import SetteeTestSupport
import Testing

/// Rows of `find` as values.
@Suite struct FindDecodingTests {
    private struct Book: Codable, Equatable {
        var title: String
        var year: Int?
    }

    private struct Named: Codable, Equatable {
        var _id: String
        var _rev: String?
        var title: String
    }

    @Test(arguments: Storage.all) func rowsAreValues(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let saved = try bed.database["a"].put(["title": "Emma", "year": 1815, "shelf": ["row": 3]])
            try bed.database["b"].put(["title": "Kim"])
            let query = try bed.database.find(field("title").exists, sort: [.ascending("title")])
            #expect(try query.values(of: Book.self) == [Book(title: "Emma", year: 1815), Book(title: "Kim")])
            let row = try #require(try query.first())
            #expect(try row.value(as: Named.self) == Named(_id: "a", _rev: saved.id.string, title: "Emma"))
            #expect(row.document.id == "a")
            #expect(throws: DecodingError.self) { try row.value(as: [Int].self) }
        }
    }

    @Test func onlyTheFieldsOfTheQueryAreThere() throws {
        struct Shelf: Codable, Equatable {
            var row: Int
        }
        struct Placed: Codable, Equatable {
            var shelf: Shelf
            var title: String?
            var _id: String?
        }
        try withDatabase(.memory) { (bed) throws in
            try bed.database["a"].put(["title": "Emma", "shelf": ["row": 3, "board": 1]])
            var query = try bed.database.find([:], fields: ["shelf.row"])
            #expect(try query.values(of: Placed.self) == [Placed(shelf: Shelf(row: 3))])
            query.fields = ["shelf", "_id"]
            #expect(try query.values(of: Placed.self) == [Placed(shelf: Shelf(row: 3), _id: "a")])
            query.fields = ["title"]
            #expect(throws: DecodingError.self) { try query.values(of: Placed.self) }
        }
    }

    @Test func attachmentsAreOnlyThereByName() throws {
        try withDatabase(.memory) { (bed) throws in
            try bed.database["a"].update {
                $0["title"] = "Emma"
                $0["_attachments"] = ["cover": ["data": "AQID", "content_type": "image/png"]]
            }
            let row = try #require(try bed.database.find([:]).first())
            #expect(Set(try row.value(as: [String: JSONValue].self).keys) == ["title"])
        }
    }
}
