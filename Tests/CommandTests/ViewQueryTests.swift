import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("view query")
struct ViewQueryTests {
    let folder: Folder
    let db: String

    /// Colours with cars, and `byColour`: colour and make, with the year.
    init() throws {
        folder = try Folder()
        db = try folder.database(
            documents: """
                {"_id":"c1","colour":"red","make":"Dyane","year":1971}
                {"_id":"c2","colour":"red","make":"Panda","year":1984}
                {"_id":"c3","colour":"green","make":"Mini","year":1966}
                {"_id":"c4","colour":"red","make":"Dyane","year":1969}
                {"_id":"c5","make":"Twingo","year":1996}
                """
        )
        try Program.succeed("view", "define", db, "byColour", "--key", "/colour", "--key", "/make", "--value", "/year")
        try Program.succeed("view", "define", db, "byMake", "--key", "/make")
    }

    private func rows(_ name: String, _ arguments: String...) throws -> [JSONObject] {
        let outcome = try Child(["view", "query", db, name] + arguments, input: []).wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.objects()
    }

    private func ids(_ name: String, _ arguments: String...) throws -> [JSONValue?] {
        let outcome = try Child(["view", "query", db, name] + arguments, input: []).wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.objects().map { $0["id"] }
    }

    @Test("Rows are lines of JSON if the output is not a terminal")
    func lines() throws {
        let text = try Program.succeed("view", "query", db, "byColour").text
        #expect(
            text == """
                {"key":[null,"Twingo"],"value":1996,"id":"c5"}
                {"key":["green","Mini"],"value":1966,"id":"c3"}
                {"key":["red","Dyane"],"value":1971,"id":"c1"}
                {"key":["red","Dyane"],"value":1969,"id":"c4"}
                {"key":["red","Panda"],"value":1984,"id":"c2"}

                """
        )
        #expect(try Program.succeed("view", "query", db, "byColour", "--json").text == text)
        #expect(try rows("byMake").first == ["key": "Dyane", "id": "c1"])
    }

    /// Whether programs can be run in a terminal here.
    static let hasTerminal =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/script")
        && FileHandle(forUpdatingAtPath: "/dev/ptmx") != nil

    @Test(
        "A terminal gets a table",
        .enabled(
            if: ViewQueryTests.hasTerminal,
            "no pseudo-terminal can be had here, or no /usr/bin/script to run in one"
        )
    )
    func table() throws {
        let query = #"script -qec "$settee view query db byColour --limit 2" /dev/null"#
        let text = try Program.shell(query, in: folder).text.replacingOccurrences(of: "\r", with: "")
        #expect(text == "[null,\"Twingo\"]   1996  c5\n[\"green\",\"Mini\"]  1966  c3\n")
        let json = #"script -qec "$settee view query db byColour --limit 1 --json" /dev/null"#
        #expect(try Program.shell(json, in: folder).text.hasPrefix("{"))
    }

    @Test("Ranges of keys and IDs, including and excluding their ends")
    func ranges() throws {
        #expect(try ids("byMake", "--start-key", #""Mini""#) == ["c3", "c2", "c5"])
        #expect(try ids("byMake", "--end-key", #""Mini""#) == ["c1", "c4", "c3"])
        #expect(try ids("byMake", "--end-key", #""Mini""#, "--exclusive-end") == ["c1", "c4"])
        #expect(try ids("byMake", "--start-key", #""Mini""#, "--exclusive-start") == ["c2", "c5"])
        #expect(try ids("byMake", "--start-key", #""Dyane""#, "--start-key-doc-id", "c2", "--limit", "1") == ["c4"])
        #expect(try ids("byMake", "--end-key", #""Dyane""#, "--end-key-doc-id", "c2") == ["c1"])
        #expect(
            try ids("byMake", "--start-key", #""Dyane""#, "--start-key-doc-id", "c1", "--exclusive-start").first == "c4"
        )
        #expect(try ids("byColour", "--start-key", #"["red"]"#, "--end-key", #"["red",{}]"#) == ["c1", "c4", "c2"])
        #expect(try ids("byColour", "--end-key", "[null,{}]") == ["c5"])
    }

    @Test("null and negative numbers are keys")
    func plainKeys() throws {
        try Program.succeed("view", "define", db, "numbers", "--key", "/n")
        try Program.succeed("put", db, "n1", #"{"n":-5}"#)
        try Program.succeed("put", db, "n2", #"{"n":null}"#)
        #expect(try ids("numbers", "--start-key", "-5") == ["n1"])
        #expect(try ids("numbers", "--end-key", "null") == ["n2"])
        #expect(try ids("numbers", "--start-key", "-1", "--end-key", "-7", "--descending") == ["n1"])
    }

    @Test("Keys, directions, limits and prefixes")
    func options() throws {
        #expect(try ids("byMake", "--keys", #"["Twingo","none","Dyane","Twingo"]"#) == ["c1", "c4", "c5"])
        #expect(try ids("byMake", "--keys", "[]") == [])
        #expect(try ids("byMake", "--descending") == ["c5", "c2", "c3", "c4", "c1"])
        #expect(try ids("byMake", "--skip", "1", "--limit", "2") == ["c4", "c3"])
        #expect(try ids("byMake", "--limit", "0") == [])
        let prefix = ["--start-key", #""P""#, "--end-key", #""P""#, "--prefix-match-level", "1"]
        #expect(
            try Child(["view", "query", db, "byMake"] + prefix, input: []).wait().objects().map { $0["id"] } == ["c2"]
        )
        let array = ["--start-key", #"["red"]"#, "--end-key", #"["red"]"#, "--prefix-match-level", "1"]
        #expect(try Child(["view", "query", db, "byColour"] + array, input: []).wait().objects().count == 3)
    }

    @Test("Reduced rows have no ID: one row for all, for each key, or for each key prefix")
    func reducing() throws {
        try Program.succeed(
            "view",
            "define",
            db,
            "years",
            "--key",
            "/colour",
            "--key",
            "/make",
            "--value",
            "/year",
            "--reduce",
            "_stats"
        )
        let all = try #require(try rows("years").first)
        #expect(all.keys == ["key", "value"])
        #expect(all["key"] == .null)
        #expect(all["value"]?["count"] == 5)
        #expect(all["value"]?["min"] == 1966)
        let red = try rows("years", "--start-key", #"["red"]"#, "--end-key", #"["red",{}]"#, "--group-level", "1")
        #expect(red.map { $0["key"] } == [["red"]])
        #expect(red.first?["value"]?["count"] == 3)
        #expect(try rows("years", "--group").count == 4)
        #expect(try ids("years", "--map-only") == ["c5", "c3", "c1", "c4", "c2"])
        #expect(try ids("years", "--no-reduce", "--limit", "1") == ["c5"])
        // Without a reduce function there are groups, and no values.
        #expect(
            try rows("byColour", "--group-level", "1") == [["key": [.null]], ["key": ["green"]], ["key": ["red"]]]
        )
        // Only the reduce function differs: the index is kept.
        let arguments = ["view", "define", db, "byMake", "--key", "/make", "--json"]
        let counted = try Child(arguments + ["--reduce", "_count"], input: []).wait().object()
        #expect(counted["isNew"] == false)
        #expect(try rows("byMake") == [["key": .null, "value": 5]])
        #expect(try Program.succeed("view", "ls", db, "--json").objects()[1]["reduce"] == "_count")
    }

    @Test("A value that cannot be summed is a failure whose message does not quote it")
    func unfitValues() throws {
        try Program.succeed("view", "define", db, "sums", "--key", "/make", "--value", "/colour", "--reduce", "_sum")
        let outcome = try Program.run("view", "query", db, "sums", "--json")
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 400)
        #expect(!outcome.errors.contains("green"))
    }

    @Test("Rows include their documents on request")
    func documents() throws {
        let row = try #require(try rows("byMake", "--include-docs", "--limit", "1").first)
        #expect(row["doc"]?["_id"] == "c1")
        #expect(row["doc"]?["year"] == 1971)
        #expect(row["doc"]?["_rev"]?.stringValue?.hasPrefix("1-") == true)
        #expect(row.keys == ["doc", "id", "key"])
    }

    @Test("A value with _id refers to another document; one that is gone is null")
    func redirection() throws {
        try Program.succeed("put", db, "like1", #"{"liked":"2019","of":{"_id":"c2"}}"#)
        try Program.succeed("put", db, "like2", #"{"liked":"2020","of":{"_id":"gone"}}"#)
        try Program.succeed("view", "define", db, "likes", "--key", "/liked", "--value", "/of")
        let found = try rows("likes", "--include-docs")
        #expect(found.map { $0["id"] } == ["c2", "gone"])
        #expect(found.map { $0["source"] } == ["like1", "like2"])
        #expect(found[0]["doc"]?["make"] == "Panda")
        #expect(found[1]["doc"] == .null)
    }

    @Test("--update says when the index is brought up to date")
    func updating() throws {
        #expect(try rows("byMake", "--update", "never").isEmpty)
        #expect(try rows("byMake", "--update", "after").isEmpty)
        #expect(try rows("byMake", "--update", "never").count == 5)
        try Program.succeed("put", db, "c6", #"{"make":"Ami"}"#)
        #expect(try rows("byMake", "--update", "never").count == 5)
        #expect(try rows("byMake", "--update", "before").count == 6)
        try Program.succeed("put", db, "c7", #"{"make":"Acadiane"}"#)
        #expect(try rows("byMake").first?["id"] == "c7")
    }

    @Test("A read-only query sees what is not indexed too, and writes nothing")
    func readOnly() throws {
        #expect(try rows("byMake", "--read-only").count == 5)
        #expect(try Program.succeed("view", "ls", db, "--json").objects().map { $0["stale"] } == [true, true])
    }

    @Test("A view with a program's map function is queried as it was built, with a note")
    func closures() throws {
        let database = try Database.open(at: folder.url("db"))
        let view = database.view("mine")
        try view.setMap(version: "3") { document, emit in emit(document["year"]) }
        try view.updateIndex()
        try database["c9"].put(["year": 2001])
        try database.close()
        let outcome = try Program.run("view", "query", db, "mine", "--json")
        #expect(outcome.status == 0)
        #expect(try outcome.objects().map { $0["key"] } == [1966, 1969, 1971, 1984, 1996])
        #expect(outcome.errors.contains("stale"))
        #expect(try Program.succeed("view", "query", db, "byMake").errors.isEmpty)
        #expect(try Program.succeed("view", "query", db, "mine", "--update", "never").errors.isEmpty)
        #expect(try Program.run("view", "query", db, "mine", "--update", "before", "--json").error().status == 404)
        let refused = try Program.run("view", "update", db, "mine", "--json")
        #expect(try refused.error().status == 404)
        let listed = try #require(try Program.succeed("view", "ls", db, "--json").objects().last)
        #expect(listed == ["name": "mine", "rows": 5, "stale": true, "version": "3"])
        // All definitions are updated, and this view is left alone.
        #expect(
            try Program.succeed("view", "update", db, "--json").objects().map { $0["name"] } == ["byColour", "byMake"]
        )
    }

    @Test(
        "Arguments that make no sense are a usage error",
        arguments: [
            ["--start-key", "Mini"], ["--end-key", "[1"], ["--keys", #""a""#], ["--keys", "a"], ["--limit=-1"],
            ["--skip=-1"], ["--prefix-match-level=-1"], ["--group-level=-1"], ["--update", "later"],
            ["--keys", "[]", "--start-key", "1"], ["--start-key-doc-id", "a"], ["--end-key-doc-id", "a"],
            ["--map-only", "--group"], ["--no-reduce", "--group-level", "1"],
        ]
    )
    func usage(_ arguments: [String]) throws {
        let outcome = try Child(["view", "query", db, "byMake"] + arguments + ["--json"], input: []).wait()
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(try outcome.error().status == 400)
    }

    @Test("A key that is not JSON is refused with a hint about quotes, not taken as a string")
    func quoting() throws {
        let outcome = try Program.run("view", "query", db, "byMake", "--start-key", "Mini")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(#"'"text"'"#))
    }

    @Test("An unknown view is a 404; a reader that goes away is not an error")
    func ends() throws {
        let outcome = try Program.run("view", "query", db, "none", "--json")
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 404)
        let script = "{ $settee view query db byMake --include-docs; echo status $? >&2; } | head -n 1"
        let read = try Program.shell(script, in: folder)
        #expect(read.lines.count == 1)
        #expect(read.errors == "status 0\n")
    }
}
