import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("view define, ls, update and rm")
struct ViewCommandTests {
    let folder: Folder
    let db: String

    init() throws {
        folder = try Folder()
        db = try folder.database(
            documents: """
                {"_id":"ae","author":"Crowley","title":"Aegypt","type":"book","year":1987}
                {"_id":"lb","author":"Crowley","title":"Little, Big","type":"book","year":1981}
                {"_id":"mo","author":"Melville","title":"Moby-Dick","type":"book","year":1851}
                {"_id":"nn","title":"Anonymous","type":"book","year":1900}
                {"_id":"rv","author":"Crowley","type":"review","year":1990}
                """
        )
    }

    private func define(_ arguments: String...) throws -> JSONObject {
        try Child(["view", "define", db] + arguments + ["--json"], input: []).wait().object()
    }

    private func rows(_ name: String) throws -> [JSONObject] {
        try Program.succeed("view", "query", db, name, "--json").objects()
    }

    @Test("define stores a definition, and says whether the index has to be built")
    func define() throws {
        let first = try define("byAuthor", "--key", "/author", "--value", "/title")
        #expect(first["name"] == "byAuthor")
        #expect(first["isNew"] == true)
        #expect(first["definition"] == ["keys": ["/author"], "value": "/title"])
        #expect(try rows("byAuthor").map { $0["id"] } == ["ae", "lb", "rv", "mo"])
        let again = try Program.succeed("view", "define", db, "byAuthor", "--key", "/author", "--value", "/title")
        #expect(again.text == "'byAuthor' is defined so already.\n")
        let changed = try define("byAuthor", "--key", "/title", "--value", "/author")
        #expect(changed["isNew"] == true)
        #expect(try rows("byAuthor").map { $0["key"] } == ["Aegypt", "Anonymous", "Little, Big", "Moby-Dick"])
        #expect(try rows("byAuthor")[1]["value"] == nil)
    }

    @Test("Several keys make an array, with null for what a document lacks")
    func severalKeys() throws {
        _ = try define("byAuthor", "--key", "/author", "--key", "/year", "--key", "/_id")
        let keys = try rows("byAuthor").map { $0["key"] }
        #expect(keys.first == [.null, 1900, "nn"])
        #expect(keys.last == ["Melville", 1851, "mo"])
        #expect(keys.count == 5)
    }

    @Test("Conditions, a type and the raw order decide which rows there are, and in what order")
    func conditions() throws {
        _ = try define("new", "--key", "/year", "--where", #"/type == "book" and /year >= 1900"#)
        #expect(try rows("new").map { $0["id"] } == ["nn", "lb", "ae"])
        _ = try define("new", "--key", "/year", "--where", "/year >= 1900", "--where", "/year < 1987")
        #expect(try rows("new").map { $0["id"] } == ["nn", "lb"])
        _ = try define("reviews", "--key", "/_id", "--type", "review")
        #expect(try rows("reviews").map { $0["id"] } == ["rv"])
        try Program.succeed("put", db, "lower", #"{"title":"a"}"#)
        _ = try define("titles", "--key", "/title")
        #expect(try rows("titles").first?["id"] == "lower")
        _ = try define("titles", "--key", "/title", "--raw")
        #expect(try rows("titles").last?["id"] == "lower")
    }

    @Test("An empty value pointer stands for the whole document")
    func wholeDocument() throws {
        _ = try define("all", "--key", "/year", "--value", "")
        let first = try #require(try rows("all").first)
        #expect(first["value"]?["title"] == "Moby-Dick")
        #expect(first["value"]?["_id"] == "mo")
        #expect(first["value"]?["_rev"]?.stringValue?.hasPrefix("1-") == true)
    }

    @Test(
        "Arguments that make no sense are a usage error that says why",
        arguments: [
            [], ["--value", "/a"], ["--key", "author"], ["--key", "/~2"], ["--key", "/a", "--where", "/b = 1"],
            ["--key", "/a", "--where", "/b == x"], ["--key", "/a", "--where", "/b == 1 or /c == 2"],
        ]
    )
    func usage(_ arguments: [String]) throws {
        let outcome = try Child(["view", "define", db, "a"] + arguments + ["--json"], input: []).wait()
        #expect(outcome.status == 2)
        #expect(try outcome.error().status == 400)
        #expect(try Program.succeed("view", "ls", db).text.isEmpty)
    }

    @Test("What the database refuses is a failure")
    func refusals() throws {
        let reduce = try Program.run("view", "define", db, "a", "--key", "/a", "--reduce", "_median", "--json")
        #expect(reduce.status == 1)
        #expect(try reduce.error().status == 495)
        #expect(try Program.run("view", "define", db, "", "--key", "/a", "--json").error().status == 494)
        let missing = folder.path("none")
        #expect(try Program.run("view", "define", missing, "a", "--key", "/a", "--json").error().status == 404)
        #expect(try Program.run("view", "define", db, "a", "--key", "/a", "--key-file", "k").status == 1)
    }

    @Test("ls lists views with rows, definition, and whether they are stale")
    func list() throws {
        _ = try define("b", "--key", "/author", "--where", #"/type == "book""#, "--type", "book", "--raw")
        _ = try define("a", "--key", "/title", "--value", "/year")
        _ = try rows("a")
        var views = try Program.succeed("view", "ls", db, "--json").objects()
        #expect(
            views == [
                [
                    "name": "a", "rows": 4, "stale": false,
                    "definition": ["keys": ["/title"], "value": "/year"],
                ],
                [
                    "name": "b", "rows": 0, "stale": true,
                    "definition": [
                        "keys": ["/author"], "where": #"/type == "book""#, "type": "book", "raw": true,
                    ],
                ],
            ]
        )
        try Program.succeed("put", db, "new", #"{"title":"New"}"#)
        views = try Program.succeed("view", "ls", db, "--json", "--read-only").objects()
        #expect(views.map { $0["stale"] } == [true, true])
        #expect(views.first?["rows"] == 4)
    }

    @Test("What ls prints about a definition creates the same definition again")
    func listedArguments() throws {
        let conditions = #"/it's == "a 'b' $c" and "/with space" != null"#
        let definition = try define("a", "--key", "/a b", "--key", "/c", "--value", "", "--where", conditions)
        let line = try #require(try Program.succeed("view", "ls", db).lines.first)
        let arguments = try #require(line.split(separator: "stale", maxSplits: 1).last)
        let again = try Program.shell("$settee view define db again \(arguments) --json", in: folder).object()
        #expect(again["definition"] == definition["definition"])
        #expect(definition["definition"]?["where"] == .string(conditions))
    }

    @Test("update indexes the views that are named, or all definitions")
    func update() throws {
        _ = try define("a", "--key", "/title")
        _ = try define("b", "--key", "/author")
        #expect(try Program.succeed("view", "update", db, "b", "--json").objects() == [["name": "b", "rows": 4]])
        #expect(try Program.succeed("view", "ls", db, "--json").objects().map { $0["stale"] } == [true, false])
        #expect(try Program.succeed("view", "update", db).lines == ["a  4 rows", "b  4 rows"])
        #expect(try Program.succeed("view", "ls", db, "--json").objects().map { $0["stale"] } == [false, false])
        #expect(try Program.run("view", "update", db, "a", "none", "--json").error().status == 404)
    }

    @Test("rm removes all that are named, or none")
    func remove() throws {
        for name in ["a", "b", "c"] { _ = try define(name, "--key", "/title") }
        _ = try rows("a")
        let outcome = try Program.run("view", "rm", db, "a", "none", "--json")
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 404)
        #expect(try rows("a").count == 4)
        let removed = try Program.succeed("view", "rm", db, "c", "a", "c", "--json").objects()
        #expect(removed == [["name": "c", "removed": true], ["name": "a", "removed": true]])
        #expect(try Program.succeed("view", "ls", db, "--json").objects().map { $0["name"] } == ["b"])
        #expect(try Program.run("view", "query", db, "a", "--json").error().status == 404)
        #expect(try Program.succeed("check", db).text == "ok\n")
    }

    @Test("view alone lists its commands, each of which has help")
    func help() throws {
        let text = try Program.succeed("view").text
        for command in ["define", "query", "ls", "update", "rm"] {
            #expect(text.contains("\n  \(command) "), "\(command)")
            #expect(try Program.succeed("help", "view", command).text.contains("settee view \(command)"))
        }
    }

    @Test("Without --json, control characters in names are escaped")
    func controlCharacters() throws {
        let name = "a\u{1B}[2J"
        let defined = try Program.succeed("view", "define", db, name, "--key", "/title").text
        let listed = try Program.succeed("view", "ls", db).text
        let updated = try Program.succeed("view", "update", db).text
        let removed = try Program.succeed("view", "rm", db, name).text
        for text in [defined, listed, updated, removed] {
            #expect(text.contains(#"a\u{1b}[2J"#) && !text.contains("\u{1B}"))
        }
    }
}
