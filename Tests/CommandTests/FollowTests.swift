import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee changes --follow`.
@Suite struct FollowTests {
    @Test func commitsOfOthersAreFollowed() throws {
        let folder = try Folder()
        let db = folder.path("a.settee")
        try Program.succeed("create", db)
        try Program.succeed("put", db, "a", "{}")
        try Program.succeed("put", db, "b", "{}")
        let follower = try Conversation(["changes", db, "--follow", "--json"])
        #expect(try object(follower.nextLine())["id"] == "a")
        #expect(try object(follower.nextLine())["id"] == "b")
        try Program.succeed("put", db, "c", #"{"n":1}"#)
        let line = try object(follower.nextLine())
        #expect(line["seq"] == 3)
        #expect(line["id"] == "c")
        #expect(line["rev"] == .string(try revision("c", in: db)))
        #expect(line.count == 3)
        try Program.succeed("rm", db, "c")
        let deleted = try object(follower.nextLine())
        #expect(deleted["deleted"] == true)
        #expect(deleted["rev"]?.stringValue?.hasPrefix("2-") == true)
        try Program.succeed("purge", db, "c")
        #expect(try object(follower.nextLine()) == ["seq": 5, "id": "c", "purged": true])
        follower.interrupt()
        #expect(follower.nextLine() == nil)
        #expect(try follower.finish() == 0)
        #expect(try Program.succeed("check", db, "--json").object()["ok"] == true)
    }

    /// The best of several attempts: other tests may occupy the processor during one.
    @Test func commitsOfOthersAreFollowedWithinASecond() throws {
        let folder = try Folder()
        let db = folder.path("a.settee")
        try Program.succeed("create", db)
        let follower = try Conversation(["changes", db, "--follow", "--json"])
        var delay = Duration.seconds(3600)
        for attempt in 0..<8 where delay >= .seconds(1) {
            try Program.succeed("put", db, "d\(attempt)", "{}")
            let committed = ContinuousClock.now
            #expect(try object(follower.nextLine())["id"] == .string("d\(attempt)"))
            delay = committed.duration(to: .now)
        }
        #expect(delay < .seconds(1))
        follower.interrupt()
        #expect(try follower.finish() == 0)
    }

    @Test func sinceLimitAndDocuments() throws {
        let folder = try Folder()
        let db = folder.path("a.settee")
        try Program.succeed("create", db)
        for id in ["a", "b", "c", "d"] { try Program.succeed("put", db, id, #"{"n":1}"#) }
        let lines = try Program.succeed(
            "changes",
            db,
            "--follow",
            "--since",
            "1",
            "--limit",
            "2",
            "--include-docs",
            "--json"
        ).objects()
        #expect(lines.map { $0["id"] } == ["b", "c"])
        #expect(lines.first?["doc"]?["n"] == 1)
        #expect(lines.first?["doc"]?["_id"] == "b")
        let text = try Program.succeed("changes", db, "--follow", "--limit", "1").text
        #expect(text == "1  a  \(try revision("a", in: db))\n")
        #expect(try Program.succeed("changes", db, "--follow", "--limit", "0").text.isEmpty)
        #expect(try Program.run("changes", db, "--follow", "--descending").status == 2)
        #expect(try Program.run("changes", folder.path("none"), "--follow").status == 1)
    }

    /// All documents of a concurrent import are followed, however slow the reader.
    @Test func aLongImportIsFollowed() throws {
        let folder = try Folder()
        let db = folder.path("a.settee")
        try Program.succeed("create", db)
        let follower = try Conversation(["changes", db, "--follow", "--json", "--limit", "20000"])
        let lines = (0..<20_000).map { #"{"_id":"d\#($0)"}"# }.joined(separator: "\n")
        try Program.succeed("import", db, "-", "--durability", "normal", input: lines)
        var sequences: [Int64] = []
        while let line = follower.nextLine() {
            if let sequence = try object(line)["seq"]?.intValue { sequences.append(sequence) }
        }
        #expect(sequences == Array(1...20_000))
        #expect(try follower.finish() == 0)
    }

    /// `settee changes --follow | head -1` ends even if nothing more is written.
    @Test func itEndsWhenItsReaderIsGone() throws {
        let folder = try Folder()
        try Program.succeed("create", folder.path("a.settee"))
        try Program.succeed("put", folder.path("a.settee"), "a", "{}")
        let script = #"{ "$settee" changes a.settee --follow --json; echo "status $?" >&2; } | head -1"#
        let outcome = try Program.shell(script, in: folder)
        #expect(outcome.lines.count == 1)
        #expect(outcome.errors == "status 0\n")
    }

    private func revision(_ id: String, in db: String) throws -> String {
        try #require(try Program.succeed("get", db, id, "--json").object()["_rev"]?.stringValue)
    }
}
