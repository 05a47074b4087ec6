import Foundation
import Settee
import SetteeProgramSupport
import StorageConformance
import Testing

@Suite("import")
struct ImportTests {
    let folder: Folder
    let db: String

    init() throws {
        folder = try Folder()
        db = folder.path("db")
    }

    private func imported(
        _ text: String,
        _ arguments: String...
    ) throws -> (documents: Int64?, failed: Int64?, status: Int32) {
        let outcome = try Child(["import", db, "-", "--json"] + arguments, input: Array(text.utf8)).wait()
        let counts = try outcome.object()
        #expect(counts.count == 2)
        return (counts["documents"]?.intValue, counts["failed"]?.intValue, outcome.status)
    }

    private func document(_ id: String) throws -> JSONObject { try Program.succeed("get", db, id, "--revs").object() }

    private func ids() throws -> [String] {
        try Program.succeed("ls", db, "--json").objects().compactMap { $0["id"]?.stringValue }
    }

    @Test("JSON lines make the database, empty lines are skipped, IDs are UUIDs where there are none")
    func lines() throws {
        #expect(try imported("{\"_id\":\"a\",\"n\":1}\n\n{\"n\":2}\r\n  {\"n\":3}") == (3, 0, 0))
        let ids = try ids()
        #expect(ids.contains("a"))
        #expect(ids.filter { UUID(uuidString: $0) != nil && $0 == $0.lowercased() }.count == 2)
    }

    @Test("An array", arguments: ["auto", "array"])
    func array(_ format: String) throws {
        #expect(try imported("[ {\"_id\":\"a\"},\n{\"_id\":\"b\"} ]", "--format", format) == (2, 0, 0))
        #expect(try ids() == ["a", "b"])
    }

    @Test("An object of objects: the member's name is the ID unless there is an `_id`", arguments: ["auto", "object"])
    func object(_ format: String) throws {
        let text = "{\n \"x\": {\"n\": 1},\n \"y\": {\"_id\": \"z\"},\n \"e\\u00e9\": {} }"
        #expect(try imported(text, "--format", format) == (3, 0, 0))
        #expect(try ids() == ["eé", "x", "z"])
    }

    @Test("One object of objects is a document when lines are requested")
    func oneLine() throws {
        #expect(try imported(#"{"_id":"a","x":{"n":1}}"#) == (1, 0, 0))
        #expect(try imported(#"{"x":{"n":1}}"#, "--format", "lines") == (1, 0, 0))
        #expect(try imported(#"{"x":{"n":1}}"#) == (1, 0, 0))
        #expect(try document("x")["n"]?.intValue == 1)
    }

    @Test("--at finds the documents, --id-field the IDs; numbers become their text")
    func pointer() throws {
        let text =
            #"{"skip":[{"no":1}],"a/b":{"list":[{"k":505874924095815681},{"k":1.50},{"k":"s"},{"_id":"own"},{"k":null}]}}"#
        #expect(try imported(text, "--at", "/a~1b/list", "--id-field", "k") == (4, 1, 1))
        #expect(try ids() == ["1.5", "505874924095815681", "own", "s"])
        #expect(try document("1.5")["k"]?.doubleValue == 1.5)
        let members = #"{"x":{"m":{"one":{},"two":{}}}}"#
        #expect(try imported(members, "--at", "/x/m") == (2, 0, 0))
    }

    @Test("--at with a path that does not exist ends the import", arguments: ["/none", "/list/0", "/text"])
    func wrongPointer(_ pointer: String) throws {
        let text = #"{"list":[1],"text":"x"}"#
        let outcome = try Program.run("import", db, "-", "--json", "--at", pointer, input: text)
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 495)
    }

    @Test("_rev with _revisions is kept; _rev alone is a revision without ancestors")
    func history() throws {
        let text = """
            {"_id":"a","_rev":"3-c","_revisions":{"start":3,"ids":["c","b","a"]},"n":1}
            {"_id":"b","_rev":"7-ABC"}
            {"_id":"c","_rev":"2-x","_deleted":true}
            {"_id":"d","_deleted":true}
            {"_id":"_design/d","_rev":"1-y","views":{}}
            {"_id":"_design/e","views":{}}
            {"_id":"_local/l","n":1}
            """
        #expect(try imported(text) == (7, 0, 0))
        let history = try #require(document("a")["_revisions"])
        #expect(history["start"]?.intValue == 3)
        #expect(history["ids"]?.arrayValue?.compactMap(\.stringValue) == ["c", "b", "a"])
        #expect(try document("b")["_rev"]?.stringValue == "7-ABC")
        #expect(try document("b")["_revisions"]?["ids"]?.arrayValue?.count == 1)
        #expect(try Program.run("get", db, "c", "--json").error().status == 496)
        #expect(try Program.succeed("get", db, "c", "--rev", "2-x").object()["_deleted"]?.boolValue == true)
        #expect(try Program.run("get", db, "d", "--json").error().status == 496)
        #expect(try document("_local/l")["n"]?.intValue == 1)
        #expect(try ids() == ["_design/d", "_design/e", "a", "b"])
    }

    @Test(
        "A document that cannot be imported fails alone",
        arguments: [
            "{\"n\":", "{\"n\":1,}", "nonsense", "[]", "7", "{\"_id\":1}", "{\"_id\":\"\"}", "{\"_id\":\"_x\"}",
            "{\"_x\":1}",
            "{\"_rev\":\"x\"}", "{\"_rev\":\"2-b\",\"_revisions\":{\"start\":1,\"ids\":[\"a\"]}}",
            "{\"s\":\"\\ud800\"}",
            "{\"_revisions\":{\"start\":1,\"ids\":[\"a\"]}}", "{\"_attachments\":{\"x\":{}}}", "{\"n\":1e999}",
            "\u{0}\u{1}",
            "{\"_id\":\"a\"}",
        ]
    )
    func failures(_ line: String) throws {
        let text = "{\"_id\":\"a\"}\n" + line + "\n{\"_id\":\"b\"}\n"
        let outcome = try Program.run("import", db, "-", "--json", input: text)
        #expect(outcome.status == 1)
        #expect(outcome.text == #"{"documents":2,"failed":1}"# + "\n")
        let message = try #require(try outcome.error().message)
        #expect(message.contains("line 2"))
        #expect(try ids() == ["a", "b"])
    }

    @Test("An existing ID fails with 409; a deleted document is continued")
    func existing() throws {
        #expect(try imported("{\"_id\":\"a\"}\n{\"_id\":\"b\"}") == (2, 0, 0))
        try Program.succeed("rm", db, "b")
        let again = try Program.run(
            "import",
            db,
            "-",
            "--json",
            input: "{\"_id\":\"a\",\"n\":2}\n{\"_id\":\"b\",\"n\":2}"
        )
        #expect(again.status == 1)
        #expect(try again.error().status == 409)
        #expect(again.text == #"{"documents":1,"failed":1}"# + "\n")
        #expect(try document("b")["_rev"]?.stringValue?.hasPrefix("3-") == true)
        #expect(try document("a").keys.contains("n") == false)
        #expect(try imported("{\"_id\":\"a\",\"_rev\":\"5-x\"}") == (0, 1, 1))
    }

    @Test("Twenty failures are listed one by one, the others counted")
    func manyFailures() throws {
        let text = (0..<50).map { "{\"_id\":\"_\($0)\"}" }.joined(separator: "\n")
        let outcome = try Program.run("import", db, "-", input: text)
        #expect(outcome.status == 1)
        #expect(outcome.errors.split(separator: "\n").count == 21)
        #expect(outcome.errors.contains("30 more"))
    }

    @Test(
        "Malformed input around the documents ends the import after what was read",
        arguments: [
            "[{\"_id\":\"a\"},{\"_id\":\"b\"} {\"_id\":\"c\"}]", "[{\"_id\":\"a\"},{\"_id\":\"b\"},",
            "[{\"_id\":\"a\"},{\"_id\":\"b\"}]x",
        ]
    )
    func brokenFrame(_ text: String) throws {
        let outcome = try Program.run("import", db, "-", "--json", input: text)
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 493)
        let counts = try outcome.object()
        #expect(counts["documents"]?.intValue == Int64(try ids().count))
        #expect(try ids() == ["a", "b"])
    }

    @Test("Files that cannot be read are an error, and no database is made")
    func unreadable() throws {
        for file in [folder.path("none"), folder.path] {
            let outcome = try Program.run("import", db, file, "--json")
            #expect(outcome.status == 1)
            #expect(try outcome.error().status == 498)
        }
        #expect(try folder.entries() == [])
    }

    @Test("Binary garbage is not a document and does not trap")
    func garbage() throws {
        var random = SeededGenerator(seed: 20_240_917)
        for turn in 0..<8 {
            let bytes = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) }
            let prefix = Array(["", "[", "{", "{\"a\":{", "[\"", "[{\"a\":1},", "\u{FEFF}", "[["][turn].utf8)
            let outcome = try Child(["import", db, "-", "--json"], input: prefix + bytes).wait()
            #expect(outcome.status == 1, "seed \(random.seed), turn \(turn)")
        }
    }

    @Test("--report-batches reports after each commit how many documents are saved")
    func batches() throws {
        let text = (0..<2500).map { "{\"n\":\($0)}" }.joined(separator: "\n")
        let outcome = try Program.run("import", db, "-", "--json", "--report-batches", input: text)
        #expect(outcome.lines.dropLast() == [#"{"committed":1000}"#, #"{"committed":2000}"#, #"{"committed":2500}"#])
        #expect(outcome.lines.last == #"{"documents":2500,"failed":0}"#)
    }

    @Test("Documents up to the limit are imported; larger ones fail alone")
    func large() throws {
        let big = String(repeating: "x", count: 10 << 20)
        let tooBig = String(repeating: "y", count: 33 << 20)
        let text = "{\"_id\":\"a\",\"s\":\"\(big)\"}\n{\"_id\":\"b\",\"s\":\"\(tooBig)\"}\n{\"_id\":\"c\"}"
        let outcome = try Program.run("import", db, "-", "--json", input: text)
        #expect(outcome.text == #"{"documents":2,"failed":1}"# + "\n")
        #expect(try outcome.error().status == 413)
        #expect(try document("a")["s"]?.stringValue?.utf8.count == 10 << 20)
    }
}
