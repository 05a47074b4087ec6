import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee view query --follow`.
@Suite struct ViewFollowTests {
    @Test func rowsThatComeAndGoAreFollowed() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a","n":1}"# + "\n" + #"{"_id":"b","n":2}"#)
        try Program.succeed("view", "define", db, "n", "--key", "/n", "--value", "/v")
        let follower = try Conversation(["view", "query", db, "n", "--follow", "--end-key", "5"])
        #expect(follower.nextLine() == #"{"key":1,"id":"a"}"#)
        #expect(follower.nextLine() == #"{"key":2,"id":"b"}"#)
        try Program.succeed("put", db, "c", #"{"n":0}"#)
        #expect(follower.nextLine() == #"{"key":0,"id":"c"}"#)
        // Documents outside the range or without a key do not print a line.
        try Program.succeed("put", db, "d", #"{"n":9}"#)
        try Program.succeed("put", db, "e", "{}")
        try Program.succeed("rm", db, "b")
        #expect(follower.nextLine() == #"{"key":2,"id":"b","removed":true}"#)
        let revision = try #require(try Program.succeed("get", db, "a", "--json").object()["_rev"]?.stringValue)
        try Program.succeed("put", db, "a", #"{"n":1,"v":"new"}"#, "--rev", revision)
        #expect(follower.nextLine() == #"{"key":1,"id":"a","removed":true}"#)
        #expect(follower.nextLine() == #"{"key":1,"value":"new","id":"a"}"#)
        follower.interrupt()
        #expect(follower.nextLine() == nil)
        #expect(try follower.finish() == 0)
        #expect(try Program.succeed("check", db, "--json").object()["ok"] == true)
    }

    @Test func aReducedRowIsFollowed() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a","n":1}"#)
        try Program.succeed("view", "define", db, "n", "--key", "/n", "--reduce", "_count")
        let follower = try Conversation(["view", "query", db, "n", "--follow"])
        #expect(follower.nextLine() == #"{"key":null,"value":1}"#)
        try Program.succeed("put", db, "c", #"{"n":0}"#)
        #expect(follower.nextLine() == #"{"key":null,"value":1,"removed":true}"#)
        #expect(follower.nextLine() == #"{"key":null,"value":2}"#)
        follower.interrupt()
        #expect(try follower.finish() == 0)
    }

    @Test func whatCannotBeFollowedIsRefused() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a","n":1}"#)
        try Program.succeed("view", "define", db, "n", "--key", "/n")
        #expect(try Program.run("view", "query", db, "n", "--follow", "--update", "never").status == 2)
        #expect(try Program.run("view", "query", db, "none", "--follow", "--json").error().status == 404)
        let database = try Database.open(at: folder.url("db"))
        try database.view("mine").setMap(version: "1") { document, emit in emit(document["n"]) }
        try database.close()
        #expect(try Program.run("view", "query", db, "mine", "--follow", "--json").error().status == 404)
    }

    @Test func itFailsWhereTheViewIsRemoved() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a","n":1}"#)
        try Program.succeed("view", "define", db, "n", "--key", "/n")
        let follower = try Child(["view", "query", db, "n", "--follow", "--json"], input: [])
        try follower.waitForOutput()
        try Program.succeed("view", "rm", db, "n")
        try Program.succeed("put", db, "b", #"{"n":2}"#)
        let outcome = try follower.wait()
        #expect(outcome.status == 1)
        #expect(outcome.text == #"{"key":1,"id":"a"}"# + "\n")
        #expect(try outcome.error().status == 404)
    }

    /// `settee view query --follow | head -1` ends even if nothing more is written.
    @Test func itEndsWhenItsReaderIsGone() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a","n":1}"#)
        try Program.succeed("view", "define", db, "n", "--key", "/n")
        let script = #"{ "$settee" view query db n --follow; echo "status $?" >&2; } | head -1"#
        let outcome = try Program.shell(script, in: folder)
        #expect(outcome.lines.count == 1)
        #expect(outcome.errors == "status 0\n")
    }
}
