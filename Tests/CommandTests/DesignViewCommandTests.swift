import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("Views of design documents")
struct DesignViewCommandTests {
    let folder: Folder
    let db: String

    init() throws {
        folder = try Folder()
        db = try folder.database(
            documents: #"""
                {"_id":"_design/cars","views":{"byMake":{"map":"doc => { if (doc.make) emit(doc.make, doc.year) }","reduce":"_count"},"a/b":{"map":"doc => emit(1)"}}}
                {"_id":"c1","make":"Panda","year":1984}
                {"_id":"c2","make":"Dyane","year":1971}
                {"_id":"c3"}
                """#
        )
    }

    @Test("query builds the index, and reads it without functions")
    func query() throws {
        let expected = """
            {"key":"Dyane","value":1971,"id":"c2"}
            {"key":"Panda","value":1984,"id":"c1"}

            """
        #expect(try Program.succeed("view", "query", db, "cars/byMake", "--map-only").text == expected)
        #expect(try Program.succeed("view", "query", db, "cars/byMake").text == "{\"key\":null,\"value\":2}\n")
        let stale = try Program.succeed("view", "query", db, "cars/byMake", "--map-only", "--update", "never").text
        #expect(stale == expected)
        #expect(try Child(["view", "query", db, "cars/other"], input: []).wait().status == 1)
    }

    @Test("ls lists views that were never built, update builds all of them")
    func listAndUpdate() throws {
        let before = try Program.succeed("view", "ls", db, "--json").objects()
        #expect(before.map { $0["name"] } == ["cars/a%2Fb", "cars/byMake"])
        #expect(before.map { $0["design"] } == [true, true])
        #expect(before.map { $0["stale"] } == [true, true])
        _ = try Program.succeed("view", "define", db, "byYear", "--key", "/year")
        let updated = try Program.succeed("view", "update", db, "--json").objects()
        #expect(updated.map { $0["name"] } == ["cars/a%2Fb", "cars/byMake", "byYear"])
        #expect(updated.map { $0["rows"] } == [3, 2, 2])
        let after = try Program.succeed("view", "ls", db, "--json").objects()
        #expect(after.map { $0["stale"] } == [false, false, false])
    }
}
