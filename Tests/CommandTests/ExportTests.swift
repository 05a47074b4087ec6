import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("export")
struct ExportTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    /// Imports what `db` exports into a new database, and expects that to export the same bytes.
    private func expectRoundTrip(_ db: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let first = try Program.succeed("export", db)
        let copy = folder.path("copy")
        let file = folder.url("lines")
        try Data(first.output).write(to: file)
        let counts = try Program.succeed("import", copy, file.path, "--json").object()
        #expect(counts["failed"]?.intValue == 0, sourceLocation: sourceLocation)
        #expect(counts["documents"]?.intValue == Int64(first.lines.count), sourceLocation: sourceLocation)
        #expect(try Program.succeed("export", copy).output == first.output, sourceLocation: sourceLocation)
        for command in ["ls", "check"] {
            let same = try Program.succeed(command, copy).output == Program.succeed(command, db).output
            #expect(same, sourceLocation: sourceLocation)
        }
    }

    @Test("export | import gives the same IDs, revision IDs and bodies, byte for byte")
    func roundTrip() throws {
        let bodies = """
            {"_id":"a","n":[0,-0.0,1e-7,1e21,1e20,9007199254740993,18446744073709551615,-9223372036854775808,5e-324]}
            {"_id":"\\u0065\\u0301","text":"\\ud83d\\ude00 \\u0001 \\" \\\\ / é e\\u0301 \\u2028"}
            {"_id":"empty"}
            {"_id":"z/ü 👩‍👩‍👧","":{"":[]},"z":1,"a":2,"é":3,"\\ufb33":4,"😀":5}
            {"_id":"h","_rev":"12-opaque.é","_revisions":{"start":12,"ids":["opaque.é","x","y"]}}
            {"_id":"_design/d","_rev":"1-y","views":{"v":{"map":"function"}}}
            {"_id":"gone","_deleted":true}
            {"_id":"_local/l"}
            """
        let db = try folder.database(documents: bodies)
        try Program.succeed("put", db, "gone2", "{}")
        try Program.succeed("rm", db, "gone2")
        let rev = try #require(Program.succeed("get", db, "a").object()["_rev"]?.stringValue)
        try Program.succeed("put", db, "a", #"{"n":2.5}"#, "--rev", rev)
        #expect(try Program.succeed("export", db).lines.count == 6)
        try expectRoundTrip(db)
    }

    @Test("A line has the body with _id, _rev and _revisions")
    func line() throws {
        let db = try folder.database(documents: #"{"_id":"foo","foo":"bar"}"#)
        let rev = "cd809becc169215072fd567eebd8b8de"
        let line = #"{"_id":"foo","_rev":"1-\#(rev)","_revisions":{"ids":["\#(rev)"],"start":1},"foo":"bar"}"#
        #expect(try Program.succeed("export", db).text == line + "\n")
    }

    @Test("-o writes a file that only its owner can read, through links, completely or not at all")
    func file() throws {
        let db = try folder.database(documents: #"{"_id":"a"}"#)
        let target = try folder.file("target", "old")
        try FileManager.default.createSymbolicLink(at: folder.url("link"), withDestinationURL: folder.url("target"))
        let outcome = try Program.succeed("export", db, "-o", folder.path("link"), "--json")
        #expect(try outcome.object()["documents"]?.intValue == 1)
        #expect(try folder.bytes("target") == Program.succeed("export", db).output)
        let mode = try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try folder.entries() == ["db", "link", "target"])
    }

    @Test("What a killed export leaves is removed by the next one to the same path")
    func killedFile() throws {
        let lines = (0..<20_000).map { #"{"_id":"d\#($0)","text":"\#(String(repeating: "x", count: 100))"}"# }
        let db = try folder.database(documents: lines.joined(separator: "\n"))
        // A partial file that a kill left, and files that only look like one.
        _ = try folder.file("target.0123ABCD.partial", "half")
        let others = ["target.0123ABC.partial", "target.0123abcd.partial", "other.0123ABCD.partial", "target.partial"]
        for name in others { _ = try folder.file(name, "mine") }
        for delay in [0.0, 0.03, 0.06] {
            let child = try Child(["export", db, "-o", folder.path("target")], input: [])
            Thread.sleep(forTimeInterval: delay)
            child.kill()
            _ = try child.wait()
        }
        try Program.succeed("export", db, "-o", folder.path("target"))
        #expect(try folder.entries() == (["db", "target"] + others).sorted())
        // One that is still being written is locked.
        let held = try folder.file("target.0123ABCD.partial", "half")
        let script = "exec 9<'\(held)'; flock -x 9; \"$settee\" export db -o target 9<&-"
        #expect(try Program.shell(script, in: folder).status == 0)
        #expect(try folder.entries().contains("target.0123ABCD.partial"))
    }

    @Test("A failed export leaves no file, and an existing one as it was")
    func failedFile() throws {
        let lines = (0..<2000).map { #"{"_id":"d\#($0)","text":"\#(String(repeating: "x", count: 200))"}"# }
        let db = try folder.database(documents: lines.joined(separator: "\n"))
        let data = folder.url("db").appending(path: "data-000001/db.sqlite3")
        var bytes = try Data(contentsOf: data)
        let start = bytes.count / 3 / 4096 * 4096
        bytes.replaceSubrange(
            start..<bytes.count - 4096,
            with: Data(repeating: 0xA5, count: bytes.count - 4096 - start)
        )
        try bytes.write(to: data)
        _ = try folder.file("target", "old")
        #expect(try Program.run("export", db, "-o", folder.path("target")).status == 1)
        #expect(try Program.run("export", db, "-o", folder.path("new")).status == 1)
        #expect(try folder.bytes("target") == Array("old".utf8))
        #expect(try folder.entries() == ["db", "target"])
        #expect(try Program.run("export", db, "-o", folder.path("none/file"), "--json").error().status == 498)
        #expect(try Program.run("export", db, "-o", folder.path, "--json").error().status == 498)
    }

    @Test("-o writes to a device in place", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func device() throws {
        let db = try folder.database(documents: #"{"_id":"a"}"#)
        try Program.succeed("export", db, "-o", "/dev/null")
        #expect(try Program.run("export", db, "-o", "/dev/full", "--json").error().status == 507)
        #expect(FileManager.default.fileExists(atPath: "/dev/full"))
    }

    /// The sample files, if SETTEE_SAMPLE_DATA names their folder.
    static let samples = ProcessInfo.processInfo.environment["SETTEE_SAMPLE_DATA"]

    @Test(
        "The sample files are imported completely and come back byte for byte",
        .enabled(if: samples != nil, "SETTEE_SAMPLE_DATA names no folder"),
        arguments: [
            ("names_100.json", [], 100), ("profiles_100.json", ["--id-field", "pid"], 100),
            ("twitter.json", ["--at", "/statuses", "--id-field", "id_str"], 100), ("gsoc-2018.json", [], 1264),
        ] as [(String, [String], Int64)]
    )
    func sampleFiles(_ name: String, _ options: [String], _ documents: Int64) throws {
        let file = try #require(ExportTests.samples) + "/json/" + name
        let db = folder.path("db")
        let counts = try Child(["import", db, file, "--json"] + options, input: []).wait().object()
        #expect(counts["documents"]?.intValue == documents)
        #expect(counts["failed"]?.intValue == 0)
        try expectRoundTrip(db)
    }
}

@Suite("export --all")
struct NeutralExportCommandTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    private func sample() throws -> String {
        let db = try folder.database(
            documents: """
                {"_id":"a","n":1}
                {"_id":"b","_attachments":{"f":{"data":"aGVsbG8="}}}
                {"_id":"_local/l"}
                """
        )
        try Program.succeed("rm", db, "a")
        return db
    }

    /// The lines that are the same in every database of this content.
    private func content(_ outcome: Program.Outcome) -> [Substring] {
        outcome.text.split(separator: "\n").filter { !$0.hasPrefix(#"{"store":{"info""#) && !$0.hasPrefix(#"{"end":"#) }
    }

    @Test("A pipe from one database into another carries everything")
    func pipe() throws {
        let db = try sample()
        let script = #""$settee" export --all '\#(db)' | "$settee" import copy.settee - --json"#
        let counts = try Program.shell(script, in: folder).object()
        #expect(counts["documents"]?.intValue == 2 && counts["failed"]?.intValue == 0)
        let copy = folder.path("copy.settee")
        let first = try Program.succeed("export", db, "--all")
        #expect(try content(Program.succeed("export", copy, "--all")) == content(first))
        let digest = try Program.succeed("export", db, "--digest").text
        #expect(try Program.succeed("export", copy, "--digest").text == digest)
        #expect(counts["digest"]?.stringValue.map { $0 + "\n" } == digest)
        #expect(try Program.succeed("check", copy).text == "ok\n")
    }

    @Test("-o writes a file that only its owner can read; it can be imported; a second import changes nothing")
    func file() throws {
        let db = try sample()
        let file = folder.path("all")
        #expect(try Program.succeed("export", db, "--all", "-o", file, "--json").object()["documents"]?.intValue == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let copy = folder.path("copy")
        try Program.succeed("import", copy, file, "--format", "all")
        let again = try Program.succeed("import", copy, file, "--json").object()
        #expect(again["documents"]?.intValue == 0 && again["unchanged"]?.intValue == 2)
    }

    @Test("A truncated export makes no database, and leaves nothing behind")
    func truncated() throws {
        let db = try sample()
        let script = """
            "$settee" export --all '\(db)' | head -5 > cut; "$settee" import new cut --json; echo $?; ls -A | sort | grep -v cut
            """
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let outcome = try Program.shell(script, in: folder)
        #expect(outcome.text == "1\n" + before.map { $0 + "\n" }.joined())
        #expect(try outcome.error().code == "corrupt")
    }
}
