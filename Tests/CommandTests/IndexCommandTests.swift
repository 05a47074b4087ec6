import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("index")
struct IndexCommandTests {
    private static let documents = """
        {"_id":"i1","type":"invoice","total":250}
        {"_id":"i2","type":"invoice","total":80,"paid":true}
        {"_id":"n1","type":"note"}
        """
    private static let open = #"{"paid":{"$exists":false}}"#

    private func names(_ db: String, _ arguments: String...) throws -> [JSONValue?] {
        let outcome = try Child(["index", "ls", db, "--json"] + arguments, input: []).wait()
        return try outcome.expectSuccess().objects().map { $0["name"] }
    }

    @Test("Indexes are created, listed, built and removed")
    func life() throws {
        let folder = try Folder()
        let db = try folder.database(documents: IndexCommandTests.documents)
        let created = try Program.succeed("index", "create", db, "byTotal", "--on", "type,-total", "--json").object()
        let definition: JSONValue = ["fields": [["type": "asc"], ["total": "desc"]]]
        #expect(created == ["name": "byTotal", "isNew": true, "definition": definition])
        let again = try Program.succeed("index", "create", db, "byTotal", "--on", "type,-total", "--json").object()
        #expect(again["isNew"] == false)
        try Program.succeed("index", "create", db, "open", "--on", "total", "--where", IndexCommandTests.open)
        #expect(
            try Program.succeed("index", "ls", db).text == """
                byTotal  0 rows  stale  --on type,-total
                open     0 rows  stale  --on total --where '{"paid":{"$exists":false}}'

                """
        )
        #expect(try Program.succeed("index", "update", db, "--json").objects().map { $0["rows"] } == [3, 2])
        let listed = try Program.succeed("index", "ls", db, "--json").objects()
        #expect(listed.first == ["name": "byTotal", "rows": 3, "stale": false, "definition": definition])
        #expect(try Program.succeed("info", db, "--json").object()["valueIndexes"] == ["byTotal", "open"])
        #expect(try Program.succeed("info", db).text.contains("2: byTotal, open"))

        #expect(try Program.run("index", "rm", db, "open", "nope", "--json").error().status == 404)
        #expect(try names(db) == ["byTotal", "open"], "All that are named are removed, or none.")
        #expect(try Program.succeed("index", "rm", db, "open", "open", "--json").object()["removed"] == true)
        #expect(try names(db, "--read-only") == ["byTotal"])
        #expect(try Program.run("index", "update", db, "open", "--json").error().status == 404)
        #expect(try Program.run("index", "create", db, "_x", "--on", "a", "--json").error().status == 494)
        #expect(try Program.succeed("check", db).text == "ok\n")
    }

    @Test("The listed options create the same index elsewhere")
    func listedOptions() throws {
        let folder = try Folder()
        let db = try folder.database()
        let other = try folder.database("other")
        let condition = #"{"a":"it's","b":{"$gt":1}}"#
        try Program.succeed("index", "create", db, "i", "--on", #"\-d,-a\,b,--e,c d"#, "--where", condition)
        let line = try Program.succeed("index", "ls", db).text
        let options = try #require(line.range(of: "--on")).lowerBound
        try Program.shell(#""$settee" index create other i \#(line[options...])"#, in: folder).expectSuccess()
        #expect(
            try Program.succeed("index", "ls", other, "--json").text
                == Program.succeed("index", "ls", db, "--json").text
        )
    }

    @Test("Definitions survive exports, copies and conversions", arguments: PlainTypes.all)
    func survival(_ type: String) throws {
        let folder = try Folder()
        let db = try folder.database(type: type, documents: IndexCommandTests.documents)
        try Program.succeed("index", "create", db, "open", "--on", "total", "--where", IndexCommandTests.open)
        try Program.succeed("index", "update", db)
        let listed = try Program.succeed("index", "ls", db).text

        try Program.succeed("export", db, "--all", "-o", folder.path("export"))
        for target in ["sqlite", "lmdb"] {
            try Program.succeed("import", folder.path(target), folder.path("export"), "--storage-type", target)
            #expect(try names(folder.path(target)) == ["open"])
            try expectRows(folder.path(target))
        }
        try Program.succeed("copy", db, folder.path("copy"))
        #expect(try names(folder.path("copy")) == ["open"])
        try expectRows(folder.path("copy"))
        try Program.succeed("migrate", db, "--to", type == "lmdb" ? "sqlite" : "lmdb")
        #expect(try Program.succeed("index", "ls", db).text == listed, "A conversion keeps the rows, too.")
        try expectRows(db)
        try Program.succeed("compact", db)
        try expectRows(db)
    }

    /// Expects that the index "open" can be used, and is sound.
    private func expectRows(_ db: String) throws {
        let selector = #"{"paid":{"$exists":false},"total":{"$gt":0}}"#
        let query = ["find", db, selector, "--sort", "total", "--use-index", "open", "--fields", "_id"]
        #expect(try Child(query, input: []).wait().text == #"{"_id":"i1"}"# + "\n")
        try Program.succeed("index", "update", db)
        #expect(try Child(query, input: []).wait().text == #"{"_id":"i1"}"# + "\n")
        #expect(try Program.succeed("check", db).text == "ok\n")
    }
}
