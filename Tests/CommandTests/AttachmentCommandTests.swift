import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite struct AttachmentCommandTests {
    /// Every byte value, without a trailing line feed.
    private static let binary = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }

    @Test func attachesPrintsAndDetaches() throws {
        let folder = try Folder()
        let db = try folder.database()
        try Data(Self.binary).write(to: folder.url("file"))
        try Program.succeed("put", db, "a", #"{"n":1}"#)
        let attached = try Program.succeed("attach", db, "a", "x.bin", folder.path("file"), "--json").objects()
        #expect(attached.count == 1)
        #expect(attached[0].keys == ["id", "rev"])
        #expect(attached[0]["id"] == "a")
        let revision = try #require(attached[0]["rev"]?.stringValue)
        #expect(revision.hasPrefix("2-"))
        let printed = try Program.succeed("cat-attachment", db, "a", "x.bin")
        #expect(printed.output == Self.binary)

        let body = try JSONValue(parsing: Program.succeed("get", db, "a").text)
        #expect(body["n"] == 1)
        #expect(body["_attachments"]?["x.bin"]?["stub"] == true)
        #expect(body["_attachments"]?["x.bin"]?["length"] == 100_000)

        let child = try Child(["attach", db, "a", "y", "-", "--content-type", "a/b"], input: Self.binary + [0])
        #expect(try child.wait().status == 0)
        #expect(try Program.succeed("cat-attachment", db, "a", "y").output == Self.binary + [0])
        let second = try JSONValue(parsing: Program.succeed("get", db, "a").text)
        #expect(second["_attachments"]?["y"]?["content_type"] == "a/b")

        let detached = try Program.succeed("detach", db, "a", "x.bin", "--json").objects()
        #expect(detached[0]["rev"]?.stringValue?.hasPrefix("4-") == true)
        #expect(try Program.run("cat-attachment", db, "a", "x.bin").status == 1)
        #expect(try Program.succeed("cat-attachment", db, "a", "x.bin", "--rev", revision).output == Self.binary)
        try Program.succeed("compact", db)
        #expect(try Program.run("cat-attachment", db, "a", "x.bin", "--rev", revision).status == 1)
        #expect(try Program.succeed("cat-attachment", db, "a", "y").output == Self.binary + [0])
        try Program.succeed("check", db)
    }

    @Test func refusalsSayWhy() throws {
        let folder = try Folder()
        let db = try folder.database()
        func status(_ arguments: String...) throws -> Int64? {
            let outcome = try Child(arguments + ["--json"], input: []).wait()
            #expect(outcome.status == 1, "\(arguments)")
            return try JSONValue(parsing: outcome.errors)["error"]?["status"]?.intValue
        }
        #expect(try status("cat-attachment", db, "a", "x") == 404)
        #expect(try status("detach", db, "a", "x") == 404)
        try Program.succeed("attach", db, "a", "x", "-", input: "made")
        #expect(try status("detach", db, "a", "y") == 404)
        #expect(try status("attach", db, "a", "_x", "-") == 491)
        #expect(try status("attach", db, "a", "x", folder.path("missing")) != nil)
        #expect(try status("attach", db, "a", "x", "-", "--rev", "1-abc") == 409)
        #expect(try status("attach", db, "a", "x", "-", "--rev", "abc") == 400)
        #expect(try Program.succeed("cat-attachment", db, "a", "x").text == "made")
    }

    @Test func exportCarriesAttachmentsAndImportReadsThemBack() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"plain","n":1}"#)
        for name in ["b", "a"] {
            let child = try Child(["attach", db, "doc", name, "-"], input: Self.binary + Array(name.utf8))
            #expect(try child.wait().status == 0)
        }
        let gzip = #"{"_attachments":{"z":{"data":"H4sIAAAAAAAAA/NIzcnJ11HwQKIAdyO+9hMAAAA=","encoding":"gzip"}}}"#
        try Program.succeed("put", db, "packed", gzip)
        let exported = try Program.succeed("export", db).output
        let copy = try folder.database("copy")
        let imported = try Child(["import", copy, "-"], input: exported).wait()
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(try Program.succeed("export", copy).output == exported)
        #expect(try Program.succeed("cat-attachment", copy, "doc", "a").output == Self.binary + Array("a".utf8))
        #expect(try Program.succeed("cat-attachment", copy, "packed", "z").text == "Hello, Hello, Hello")
        try Program.succeed("check", copy)
    }

    @Test func importMakesNewDocumentsWithAttachments() throws {
        let folder = try Folder()
        let lines = (0..<50).map { #"{"_id":"d\#($0)","_attachments":{"x":{"data":"AAEC"}}}"# }.joined(separator: "\n")
        let db = try folder.database(documents: lines)
        for id in ["d0", "d49"] { #expect(try Program.succeed("cat-attachment", db, id, "x").output == [0, 1, 2]) }
        let bad = try Program.run("import", db, "-", "--json", input: #"{"_attachments":{"x":{"stub":true}}}"#)
        #expect(bad.status == 1)
        try Program.succeed("check", db)
    }
}
