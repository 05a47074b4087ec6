import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("resolve, and get --conflicts")
struct ResolveTests {
    let folder: Folder
    let db: String

    init() throws {
        folder = try Folder()
        db = try folder.database()
        let database = try Database.open(at: URL(filePath: db))
        for suffix in ["a", "b", "c"] {
            try database["doc"].forceInsert(["is": .string(suffix)], history: [RevisionID("1-\(suffix)")])
        }
        try database["plain"].put([:])
        try database.close()
    }

    private func conflicts(_ id: String = "doc") throws -> [String]? {
        try Program.succeed("get", db, id, "--conflicts").object()["_conflicts"]?.arrayValue?.compactMap(\.stringValue)
    }

    @Test("--keep keeps one revision, even a losing one")
    func keep() throws {
        #expect(try conflicts() == ["1-b", "1-a"])
        #expect(try conflicts("plain") == nil)
        let outcome = try Program.succeed("resolve", db, "doc", "--keep", "1-a", "--json").object()
        #expect(outcome["rev"]?.stringValue == "1-a")
        #expect(outcome["id"]?.stringValue == "doc")
        #expect(try conflicts() == nil)
        #expect(try Program.succeed("get", db, "doc").text == #"{"_id":"doc","_rev":"1-a","is":"a"}"# + "\n")
        #expect(try Program.succeed("resolve", db, "doc", "--keep", "1-a").text == "doc 1-a\n")
        #expect(try Program.succeed("ls", db, "--conflicts").text == "")
    }

    @Test("--merge puts the merged body on top, from an argument or standard input")
    func merge() throws {
        let merged = try Program.succeed("resolve", db, "doc", "--merge", #"{"_rev":"1-b","is":"all"}"#, "--json")
            .object()
        #expect(merged["rev"]?.stringValue?.hasPrefix("2-") == true)
        let document = try Program.succeed("get", db, "doc", "--revs", "--conflicts").object()
        #expect(document["is"]?.stringValue == "all")
        #expect(document["_revisions"]?["ids"]?.arrayValue?.last?.stringValue == "b")
        #expect(document["_conflicts"] == nil)
        #expect(try Program.run("resolve", db, "doc", "--merge", "{}", "--json").error().status == 409)
    }

    @Test("--merge - reads standard input")
    func mergeFromInput() throws {
        let outcome = try Child(["resolve", db, "doc", "--merge", "-"], input: Array(#"{"is":"all"}"#.utf8)).wait()
        #expect(outcome.status == 0)
        #expect(try Program.succeed("get", db, "doc").object()["is"]?.stringValue == "all")
    }

    @Test("Refusals change nothing")
    func refusals() throws {
        for (arguments, status) in [
            (["doc", "--keep", "1-x"], 409), (["none", "--keep", "1-a"], 404), (["doc", "--keep", "x"], 400),
            (["doc", "--merge", "{"], 493), (["doc", "--merge", "[]"], 493),
            (["doc", "--merge", #"{"_rev":"1-x"}"#], 409),
            (["doc", "--merge", #"{"_id":"x"}"#], 400), (["doc", "--merge", #"{"_deleted":true}"#], 400),
        ] as [([String], Int64)] {
            let outcome = try Child(["resolve", db] + arguments + ["--json"], input: []).wait()
            #expect(outcome.status == 1, "\(arguments)")
            #expect(try outcome.error().status == status, "\(arguments)")
        }
        #expect(try Program.run("resolve", db, "doc").status == 2)
        #expect(try Program.run("resolve", db, "doc", "--keep", "1-a", "--merge", "{}").status == 2)
        #expect(try conflicts() == ["1-b", "1-a"])
    }
}
