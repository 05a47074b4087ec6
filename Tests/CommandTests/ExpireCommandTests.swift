import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("expire, copy, info and --log")
struct ExpireCommandTests {
    @Test("A document expires at a time, after a while, or never")
    func expire() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a"}"# + "\n" + #"{"_id":"b"}"#)
        for (time, seconds) in [
            ("2031-05-01T12:00:00Z", 1_935_403_200), ("2031-05-01T14:00:00+02:00", 1_935_403_200),
            ("2031-05-01T12:00:00.250Z", 1_935_403_200.25), ("2031-05-01", 1_935_360_000),
        ] {
            let set = try Program.succeed("expire", db, "a", "--at", time, "--json").object()
            #expect(set["id"] == "a")
            let text = try #require(set["expires"]?.stringValue)
            let database = try Database.open(at: URL(filePath: db))
            #expect(try database["a"].expiration == Date(timeIntervalSince1970: seconds), "\(time): \(text)")
            try database.close()
        }
        #expect(try Program.succeed("expire", db, "a", "--never", "--json").object()["expires"] == .null)
        #expect(try Program.succeed("expire", db, "b", "--in=-1").text.hasPrefix("b expires "))
        #expect(try Program.succeed("ls", db, "--json").objects().map { $0["id"] } == ["a"])
        #expect(try Program.succeed("info", db, "--json").object()["lastSequence"] == 3)
    }

    @Test(
        "Wrong times are usage errors",
        arguments: [
            [], ["--at", "tomorrow"], ["--in", "soon"], ["--in", "nan"], ["--in", "1", "--never"],
            ["--at", "2031-05-01T12:00:00Z", "--in", "1"],
        ]
    )
    func usage(_ arguments: [String]) throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a"}"#)
        #expect(try Child(["expire", db, "a"] + arguments, input: []).wait().status == 2)
    }

    /// They were taken for midnight, or for another time.
    @Test(
        "Times that are not whole, or do not exist, are usage errors that say what is missing",
        arguments: [
            ("2031-05-01 23:00:00", "zone"), ("2031-05-01T12:00:00", "zone"), ("2031-05-01T12:00Z", "seconds"),
            ("2031-05-01T12:00:00 +02:00", "Write it as"), ("2031-05-01junk", "Write it as"),
            ("2031-05-01T12:00:00+25:00", "offset"), ("2031-02-30T12:00:00Z", "day"), ("2031-02-30", "day"),
            ("2031-05-01T24:30:00Z", "time of day"), ("2031-05-01T12:60:00Z", "time of day"),
            ("2031-05-01T12:00:61Z", "time of day"), ("", "Write it as"),
        ]
    ) func partTimes(_ text: String, _ missing: String) throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a"}"#)
        let outcome = try Child(["expire", db, "a", "--at", text], input: []).wait()
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(missing), "\(outcome.errors)")
        #expect(try Program.succeed("ls", db).text.hasPrefix("a"))
    }

    @Test("Every millisecond comes back, and so do small letters, commas and far offsets")
    func exactTimes() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a"}"#)
        var times = [
            "2031-05-01t12:00:00z": "2031-05-01T12:00:00.000Z", "2031-05-01T12:00:00,5Z": "2031-05-01T12:00:00.500Z",
        ]
        times["2031-05-01T12:00:00-23:59"] = "2031-05-02T11:59:00.000Z"
        for millisecond in [1, 9, 57, 123, 251, 499, 601, 999] {
            let text = String(format: "2031-05-01T12:00:00.%03dZ", millisecond)
            times[text] = text
        }
        for (given, expected) in times {
            #expect(
                try Program.succeed("expire", db, "a", "--at", given, "--json").object()["expires"] == .string(expected)
            )
        }
    }

    @Test("An interval may be negative: the document has expired")
    func negativeInterval() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a"}"#)
        _ = try Program.succeed("expire", db, "a", "--in", "-5")
        #expect(try Child(["get", db, "a", "--json"], input: []).wait().error().status == 404)
    }

    @Test("What cannot expire is an error")
    func refusals() throws {
        let folder = try Folder()
        let db = try folder.database()
        for (id, status) in [("a", Int64(404)), ("_local/a", 494)] {
            let outcome = try Child(["expire", db, id, "--in", "1", "--json"], input: []).wait()
            #expect(outcome.status == 1)
            #expect(try outcome.error().status == status)
        }
        #expect(try Child(["expire", db, "a", "--in", "1e300", "--json"], input: []).wait().error().status == 495)
    }

    @Test("copy makes an independent database")
    func copy() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a","n":1}"#)
        let copied = try Program.succeed("copy", db, folder.path("new"), "--json").object()
        #expect(copied["path"] == .string(folder.path("new")))
        #expect(try Program.succeed("get", folder.path("new"), "a").text == Program.succeed("get", db, "a").text)
        #expect(try Program.succeed("check", folder.path("new")).text == "ok\n")
        let again = try Child(["copy", db, folder.path("new"), "--json"], input: []).wait()
        #expect(again.status == 1)
        #expect(try again.error().status == 412)
        #expect(try Child(["copy", folder.path("none"), folder.path("x")], input: []).wait().status == 1)
        #expect(try Program.succeed("copy", "--read-only", db, folder.path("second")).status == 0)
    }

    @Test("info says where the space goes")
    func info() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a","n":1}"#)
        try Program.succeed(
            "put",
            db,
            "a",
            "--rev",
            Program.succeed("get", db, "a", "--json").object()["_rev"]?.stringValue ?? "",
            #"{"n":22}"#
        )
        let info = try Program.succeed("info", db, "--json").object()
        for field in ["storageType", "documentCount", "lastSequence", "encrypted", "bytesOnDisk", "freeBytes", "uuid"] {
            #expect(info[field] != nil, "\(field)")
        }
        let space = try #require(info["space"]?.objectValue)
        #expect(space["bodies"] == 8)
        #expect(space["oldBodies"] == 7)
        for field in ["conflicts", "attachments", "unusedAttachments", "localDocuments", "indexes"] {
            #expect(space[field] == 0, "\(field)")
        }
        #expect(space["freePages"] == info["freeBytes"])
        #expect(try #require(space["other"]?.intValue) > 0)
        let text = try Program.succeed("info", db).text
        #expect(text.contains("bytes of old bodies") && text.contains("bytes of free pages"))
    }

    @Test("--log writes the domain's messages to standard error")
    func log() throws {
        let folder = try Folder()
        let db = try folder.database(documents: #"{"_id":"a","secret":"hush-hush"}"#)
        let quiet = try Program.succeed("get", db, "a")
        #expect(quiet.errors.isEmpty)
        let one = try Program.succeed("get", db, "a", "--log", "database=info")
        #expect(one.output == quiet.output)
        let lines = one.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(" info settee.Database: ") }, "\(lines)")
        let all = try Program.succeed("put", db, "b", #"{"secret":"hush-hush"}"#, "--log", "all=trace")
        #expect(all.errors.contains("settee.Document"))
        #expect(!all.errors.contains("hush-hush"))
        let last = try Program.succeed("get", db, "a", "--log", "all=trace", "--log", "all=off")
        #expect(last.errors.isEmpty)
        let wrong = try Child(["get", db, "a", "--log", "Nonsense"], input: []).wait()
        #expect(wrong.status == 2)
        for name in ["Database", "Document", "View", "Query", "Storage", "Upgrade", "Validation", "trace", "critical"] {
            #expect(wrong.errors.contains(name), "\(name)")
        }
    }
}
