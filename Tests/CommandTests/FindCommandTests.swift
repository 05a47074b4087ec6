import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("find")
struct FindCommandTests {
    let folder: Folder
    let db: String

    init() throws {
        folder = try Folder()
        db = try folder.database(
            documents: """
                {"_id":"i1","type":"invoice","total":250,"customer":{"city":"Lyon"}}
                {"_id":"i2","type":"invoice","total":80,"customer":{"city":"Paris"},"paid":true}
                {"_id":"i3","type":"invoice","total":120,"customer":{"city":"Lyon"},"paid":true}
                {"_id":"i4","type":"invoice"}
                {"_id":"n1","type":"note","a,b":1,"-d":2}
                """
        )
    }

    private func ids(_ selector: String, _ arguments: String...) throws -> [String] {
        let outcome = try Child(["find", db, selector, "--json"] + arguments, input: []).wait()
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.objects().map { $0["_id"]?.stringValue ?? "" }
    }

    @Test("A document a line, with and without --json if the output is not a terminal")
    func lines() throws {
        let text = try Program.succeed("find", db, #"{"total":{"$gte":100}}"#, "--fields", "_id,customer.city").text
        #expect(
            text == #"{"_id":"i1","customer":{"city":"Lyon"}}"# + "\n" + #"{"_id":"i3","customer":{"city":"Lyon"}}"#
                + "\n"
        )
        let whole = try Program.succeed("find", db, #"{"_id":"i4"}"#, "--json").object()
        #expect(whole["type"] == "invoice" && whole["_rev"] != nil)
    }

    @Test("Sorted in any direction, with and without an index")
    func sorted() throws {
        for _ in 0..<2 {
            #expect(try ids(#"{"type":"invoice"}"#, "--sort", "-total") == ["i1", "i3", "i2", "i4"])
            #expect(try ids(#"{"type":"invoice"}"#, "--sort", "total") == ["i4", "i2", "i3", "i1"])
            #expect(try ids(#"{"type":"invoice"}"#, "--sort=-total", "--skip", "1", "--limit", "2") == ["i3", "i2"])
            #expect(try ids("{}", "--sort", "-type,total").last == "i1")
            try Program.succeed("index", "create", db, "byTotal", "--on", "type,-total")
            try Program.succeed("index", "update", db)
        }
    }

    @Test("Names may have commas and dashes in them")
    func oddNames() throws {
        let row = try Program.succeed("find", db, #"{"_id":"n1"}"#, "--fields", #"a\,b,-d"#).object()
        #expect(row == ["a,b": 1, "-d": 2])
        #expect(try ids("{}", "--sort", #"\-d"#).last == "n1")
        #expect(try ids("{}", "--sort", "--d").first == "n1")
        try Program.succeed("index", "create", db, "odd", "--on", #"--d,a\,b"#)
        #expect(try Program.succeed("index", "ls", db).text.hasSuffix(#"--on '--d,a\,b'"# + "\n"))
    }

    @Test("The selector may come from standard input")
    func standardInput() throws {
        let outcome = try Program.succeed("find", db, "-", "--fields", "_id", input: #"{"customer.city":"Paris"}"#)
        #expect(outcome.text == #"{"_id":"i2"}"# + "\n")
    }

    @Test("--explain says which index serves a query")
    func explanations() throws {
        let selector = #"{"type":"invoice","total":{"$gte":100}}"#
        let without = try Program.succeed("find", db, selector, "--explain", "--json").object()
        #expect(without["fullScan"] == true)
        try Program.succeed("import", db, "-", input: (0..<500).map { #"{"n":\#($0)}"# }.joined(separator: "\n"))
        try Program.succeed("index", "create", db, "byTotal", "--on", "type,-total")
        let explained = try Program.succeed("find", db, selector, "--explain", "--json").object()
        #expect(explained["access"]?["index"] == "byTotal")
        #expect(explained["access"]?["boundedBy"] == ["type", "total"])
        let text = try Program.succeed("find", db, selector, "--explain").text
        #expect(text.contains("index: 'byTotal' on type, -total\n"))
        let other = try Program.succeed("find", db, selector, "--explain", "--use-index", "x", "--json").object()
        #expect(other["otherIndexes"]?[0]?["index"] == "byTotal")
    }

    @Test("--explain names all indexes that are intersected")
    func intersections() throws {
        let lines = (0..<4000).map { #"{"a":\#($0 % 10),"b":\#($0 / 10 % 10)}"# }
        try Program.succeed("import", db, "-", input: lines.joined(separator: "\n"))
        for field in ["a", "b"] {
            try Program.succeed("index", "create", db, field, "--on", field)
            try Program.succeed("index", "update", db, field)
        }
        let selector = #"{"a":3,"b":7}"#
        let text = try Program.succeed("find", db, selector, "--explain").text
        #expect(text.hasPrefix("documents that are in all of these:\n  index: '"))
        let explained = try Program.succeed("find", db, selector, "--explain", "--json").object()
        #expect(explained["access"]?["kind"] == "intersection" && explained["access"]?["parts"]?[1]?["ranges"] == 1)
        #expect(try Program.succeed("find", db, selector, "--json").text.split(separator: "\n").count == 40)
    }

    @Test(
        "What makes no sense is a usage error that says why",
        arguments: [
            (["find", "DB", "type"], "single quotes"), (["find", "DB", "[]"], "JSON object"),
            (["find", "DB", #"{"a":{"$foo":1}}"#], "$foo"), (["find", "DB", "{}", "--limit=-1"], "--limit"),
            (["find", "DB", "{}", "--sort", "a,,b"], "commas"), (["find", "DB", "{}", "--sort", "a..b"], "a..b"),
            (["find", "DB", "{}", "--sort", "-"], "dash"), (["find", "DB", "{}", "--fields", "a..b"], "a..b"),
            (["find", "DB", "{}", "--explain", "--follow"], "--explain"),
            (["find", "DB", "{}", "--skip=-1"], "--skip"),
            (["index", "create", "DB", "i", "--on", "a,a"], "twice"), (["index", "create", "DB", "i"], "--on"),
            (["index", "create", "DB", "i", "--on", "a", "--where", "1"], "JSON object"),
            (["index", "create", "DB", "i", "--on", "a", "--where", #"{"$x":1}"#], "$x"),
        ]
    )
    func usage(_ arguments: [String], _ words: String) throws {
        let outcome = try Child(arguments.map { $0 == "DB" ? db : $0 } + ["--json"], input: []).wait()
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(try outcome.error().code == "usage")
        #expect(try outcome.error().message?.contains(words) == true, "\(outcome.errors)")
    }

    @Test("Documents that come, change and go are followed")
    func following() throws {
        let selector = #"{"type":"invoice","total":{"$gte":100}}"#
        let follower = try Conversation(["find", db, selector, "--follow", "--fields", "_id,total"])
        #expect(follower.nextLine() == #"{"_id":"i1","total":250}"#)
        #expect(follower.nextLine() == #"{"_id":"i3","total":120}"#)
        try Program.succeed("put", db, "i9", #"{"type":"invoice","total":500}"#)
        #expect(follower.nextLine() == #"{"_id":"i9","total":500}"#)
        // Documents that are not found, and changes of members that are not shown, do not print a line.
        try Program.succeed("put", db, "n2", "{}")
        let revision = try #require(try Program.succeed("get", db, "i3").object()["_rev"]?.stringValue)
        try Program.succeed("put", db, "i3", #"{"type":"invoice","total":120,"b":1}"#, "--rev", revision)
        try Program.succeed("rm", db, "i1")
        #expect(follower.nextLine() == #"{"_id":"i1","_removed":true}"#)
        try Program.succeed("purge", db, "i9")
        #expect(follower.nextLine() == #"{"_id":"i9","_removed":true}"#)
        follower.interrupt()
        #expect(follower.nextLine() == nil)
        #expect(try follower.finish() == 0)
    }

    @Test("Documents in an order, behind a limit, are followed")
    func followingALimit() throws {
        let follower = try Conversation([
            "find", db, #"{"type":"invoice"}"#, "--follow", "--fields", "_id", "--sort", "-total", "--limit", "1",
        ])
        #expect(follower.nextLine() == #"{"_id":"i1"}"#)
        // A document that is not among the rows, and one that takes the place of another.
        try Program.succeed("put", db, "i7", #"{"type":"invoice","total":1}"#)
        try Program.succeed("put", db, "i8", #"{"type":"invoice","total":9000}"#)
        #expect(follower.nextLine() == #"{"_id":"i1","_removed":true}"#)
        #expect(follower.nextLine() == #"{"_id":"i8"}"#)
        follower.interrupt()
        #expect(follower.nextLine() == nil)
        #expect(try follower.finish() == 0)
    }

    @Test("A query that fails ends with its error")
    func followingFails() throws {
        let follower = try Child(["find", db, #"{"b":{"$regex":"(a+)+$"}}"#, "--follow", "--json"], input: [])
        try Program.succeed("put", db, "long", #"{"b":"\#(String(repeating: "a", count: 5000))!"}"#)
        let outcome = try follower.wait()
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 400)
    }

    /// `settee find --follow | head -1` ends even if nothing more is written.
    @Test("Following ends when its reader is gone")
    func readerGone() throws {
        let script = #"{ "$settee" find db '{"_id":"i1"}' --follow; echo "status $?" >&2; } | head -1"#
        let outcome = try Program.shell(script, in: folder)
        #expect(outcome.lines.count == 1)
        #expect(outcome.errors == "status 0\n")
    }

    @Test("It works in a database that is opened read-only, with and without the index's content")
    func readOnly() throws {
        try Program.succeed("index", "create", db, "byTotal", "--on", "type,-total")
        #expect(try ids(#"{"type":"invoice","total":{"$gte":100}}"#, "--read-only") == ["i1", "i3"])
        try Program.succeed("index", "update", db)
        #expect(try ids(#"{"type":"invoice","total":{"$gte":100}}"#, "--read-only", "--sort", "total") == ["i3", "i1"])
    }
}
