import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("put, get, rm and purge")
struct DocumentCommandTests {
    let folder: Folder
    let db: String

    init() throws {
        folder = try Folder()
        db = try folder.database()
    }

    @Test("put prints the ID and the revision, whose ID follows from the body alone")
    func put() throws {
        let outcome = try Program.succeed("put", db, "foo", #"{"foo":"bar"}"#)
        #expect(outcome.text == "foo 1-cd809becc169215072fd567eebd8b8de\n")
        let object = try Program.succeed("put", db, "foo2", #"{"foo":"bar"}"#, "--json").object()
        #expect(object["id"]?.stringValue == "foo2")
        #expect(object["rev"]?.stringValue == "1-cd809becc169215072fd567eebd8b8de")
        #expect(object.count == 2)
    }

    @Test("put reads standard input for `-` and when no body is given", arguments: [["-"], []])
    func putFromInput(_ argument: [String]) throws {
        let outcome = try Child(["put", db, "a"] + argument, input: Array(#"{"n": 1}"#.utf8)).wait()
        #expect(outcome.status == 0)
        #expect(try Program.succeed("get", db, "a").object()["n"]?.intValue == 1)
    }

    @Test("put follows --rev or _rev, and refuses a live document without either")
    func putOnTop() throws {
        let first = try revision(Program.succeed("put", db, "a", #"{"n":1}"#, "--json"))
        let conflict = try Program.run("put", db, "a", #"{"n":2}"#, "--json")
        #expect(conflict.status == 1)
        #expect(try conflict.error().status == 409)
        #expect(conflict.output.isEmpty)
        let second = try revision(Program.succeed("put", db, "a", #"{"n":2}"#, "--rev", first, "--json"))
        let third = try revision(Program.succeed("put", db, "a", #"{"_rev":"\#(second)","n":3}"#, "--json"))
        #expect(third.hasPrefix("3-"))
        #expect(
            try Program.run("put", db, "a", #"{"_rev":"\#(second)"}"#, "--rev", third, "--json").error().status == 400
        )
        #expect(try Program.run("put", db, "a", #"{"_id":"b"}"#, "--rev", third, "--json").error().status == 400)
        #expect(try Program.run("put", db, "a", "{}", "--rev", first, "--json").error().status == 409)
    }

    @Test(
        "Refusals have a status and a message, and save nothing",
        arguments: [
            ("a", "{", 493), ("a", "[]", 493), ("a", "", 493), ("a", #"{"a":1e999}"#, 493), ("a", #"{"_x":1}"#, 493),
            ("a", #"{"s":"\ud800"}"#, 493), ("", "{}", 494), ("_x", "{}", 494), ("_design/", "{}", 494),
        ]
    )
    func refusals(_ id: String, _ body: String, _ status: Int64) throws {
        let outcome = try Program.run("put", db, id, body, "--json")
        #expect(outcome.status == 1)
        let error = try outcome.error()
        #expect(error.status == status)
        #expect(error.code?.isEmpty == false)
        #expect(error.message?.isEmpty == false)
        #expect(outcome.output.isEmpty)
        #expect(try Program.succeed("ls", db).text.isEmpty)
    }

    @Test("A document over 32 MiB is refused, not cut")
    func tooLarge() throws {
        let text = #"{"s":""# + String(repeating: "x", count: 33 << 20) + #""}"#
        let outcome = try Program.run("put", db, "big", "--json", input: text)
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 413)
    }

    @Test("get prints the canonical body with _id and _rev")
    func get() throws {
        try Program.succeed("put", db, "a", #"{ "z": 1.0, "A": [true, null], "b": "é" }"#)
        let text = try Program.succeed("get", db, "a").text
        let rev = try #require(JSONValue(parsing: text)["_rev"]?.stringValue)
        #expect(text == #"{"A":[true,null],"_id":"a","_rev":"\#(rev)","b":"é","z":1}"# + "\n")
        #expect(try Program.succeed("get", db, "a", "--json").text == text)
    }

    @Test("get --revs adds the history; --rev gives an older revision or a tombstone")
    func history() throws {
        let first = try revision(Program.succeed("put", db, "a", #"{"n":1}"#, "--json"))
        let second = try revision(Program.succeed("put", db, "a", #"{"n":2}"#, "--rev", first, "--json"))
        let third = try revision(Program.succeed("rm", db, "a", "--json"))
        #expect(try Program.succeed("get", db, "a", "--rev", first).object()["n"]?.intValue == 1)
        let tombstone = try Program.succeed("get", db, "a", "--rev", third, "--revs").object()
        #expect(tombstone["_deleted"]?.boolValue == true)
        #expect(tombstone["_revisions"]?["start"]?.intValue == 3)
        let suffixes = [third, second, first].map { String($0.dropFirst(2)) }
        #expect(tombstone["_revisions"]?["ids"]?.arrayValue?.compactMap(\.stringValue) == suffixes)
        #expect(try Program.run("get", db, "a", "--rev", "9-abc", "--json").error().status == 404)
    }

    @Test("get distinguishes deleted (496) from missing and purged (404)")
    func deletedAndMissing() throws {
        #expect(try Program.run("get", db, "a", "--json").error().status == 404)
        try Program.succeed("put", db, "a", "{}")
        try Program.succeed("rm", db, "a")
        let deleted = try Program.run("get", db, "a", "--json")
        #expect(deleted.status == 1)
        #expect(try deleted.error().status == 496)
        #expect(try Program.succeed("purge", db, "a", "--json").object()["id"]?.stringValue == "a")
        #expect(try Program.run("get", db, "a", "--json").error().status == 404)
        #expect(try Program.run("purge", db, "a", "--json").error().status == 404)
    }

    @Test("rm deletes the current revision; a wrong --rev is a conflict, a missing document a 404")
    func remove() throws {
        #expect(try Program.run("rm", db, "a", "--json").error().status == 404)
        try Program.succeed("put", db, "a", "{}")
        #expect(try Program.run("rm", db, "a", "--rev", "1-abc", "--json").error().status == 409)
        let tombstone = try revision(Program.succeed("rm", db, "a", "--json"))
        #expect(tombstone.hasPrefix("2-"))
        #expect(try revision(Program.succeed("rm", db, "a", "--json")) == tombstone)
        let again = try revision(Program.succeed("put", db, "a", "{}", "--json"))
        #expect(again.hasPrefix("3-"))
    }

    @Test("IDs are kept as they are", arguments: ["a/b", "👩‍👩‍👧", "e\u{301}", "\u{e9}", "שלום", "-dash", "a\nb"])
    func identifiers(_ id: String) throws {
        let saved = try Child(["put", db, "--json", "--", id, "{}"], input: []).wait().object()
        #expect(try Array(#require(saved["id"]?.stringValue).utf8) == Array(id.utf8))
        let read = try Child(["get", db, "--", id], input: []).wait().object()
        #expect(try Array(#require(read["_id"]?.stringValue).utf8) == Array(id.utf8))
    }

    @Test("Without conflicts, get --conflicts adds nothing and ls --conflicts lists nothing")
    func noConflicts() throws {
        try Program.succeed("put", db, "a", "{}")
        #expect(try Program.succeed("get", db, "a", "--conflicts").object().keys.contains("_conflicts") == false)
        #expect(try Program.succeed("ls", db, "--conflicts").text.isEmpty)
    }

    private func revision(_ outcome: Program.Outcome) throws -> String {
        try #require(outcome.object()["rev"]?.stringValue)
    }
}
