import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee replicate`.
@Suite struct ReplicateTests {
    /// A database folder with some documents.
    private func library(_ folder: Folder, _ name: String = "a", _ ids: [String] = ["one", "two", "three"]) throws {
        let path = folder.path(name)
        #expect(try Program.run("create", path).status == 0)
        for id in ids { #expect(try Program.run("put", path, id, #"{"n":1}"#).status == 0) }
    }

    private func ids(_ folder: Folder, _ name: String) throws -> [String] {
        try Program.run("ls", folder.path(name), "--json").lines.map { try object($0)["id"]?.stringValue ?? "" }
    }

    @Test("documents, deletions and conflicts come to the target, and a second run has nothing to do")
    func folders() throws {
        let folder = try Folder()
        try library(folder)
        let (a, b) = (folder.path("a"), folder.path("b"))
        #expect(try Program.run("rm", a, "two").status == 0)
        let missing = try Program.run("replicate", a, b)
        #expect(missing.status == 1)
        #expect(missing.errors.contains("404"))
        let first = try Program.run("replicate", a, b, "--create-target", "--json")
        #expect(first.status == 0, "\(first.errors)")
        let end = try object(first.lines.last)
        #expect(end["documents"]?.intValue == 3)
        #expect(end["failed"]?.intValue == 0)
        #expect(end["interrupted"] == false)
        #expect(try ids(folder, "b") == ["one", "three"])
        let lists = try [a, b].map { try Program.run("ls", $0, "--include-docs", "--include-deleted", "--json").text }
        #expect(lists[0] == lists[1])
        let second = try Program.run("replicate", a, b)
        #expect(second.text == "Replicated 0 documents.\n")
        // With all documents compared again nothing is sent either.
        #expect(try Program.run("replicate", a, b, "--reset").text == "Replicated 0 documents.\n")
    }

    @Test("documents are chosen by their IDs or by a selector")
    func choice() throws {
        let folder = try Folder()
        try library(folder)
        let a = folder.path("a")
        let some = try Program.run(
            "replicate",
            a,
            folder.path("b"),
            "--create-target",
            "--doc-ids",
            "one",
            "--doc-ids",
            "three"
        )
        #expect(some.text == "Replicated 2 documents.\n")
        #expect(try Program.run("put", a, "other", #"{"n":2}"#).status == 0)
        let chosen = try Program.run(
            "replicate",
            a,
            folder.path("c"),
            "--create-target",
            "--selector",
            #"{"n":{"$gt":1}}"#
        )
        #expect(chosen.text == "Replicated 1 document.\n")
        #expect(try ids(folder, "c") == ["other"])
    }

    @Test("a continuous one passes on what comes, and ends in order when it is interrupted")
    func continuous() throws {
        let folder = try Folder()
        try library(folder)
        let (a, b) = (folder.path("a"), folder.path("b"))
        let replication = try Conversation(["replicate", a, b, "--create-target", "--continuous", "--json"])
        func waitFor(_ count: Int64) throws {
            while let line = replication.nextLine() {
                let status = try object(line)
                if status["activity"] == "idle", status["completed"]?.intValue == count { return }
            }
            Issue.record("It ended.")
        }
        try waitFor(3)
        #expect(try Program.run("put", a, "four", "{}").status == 0)
        try waitFor(4)
        replication.interrupt()
        var last = ""
        while let line = replication.nextLine() { last = line }
        let end = try object(last)
        #expect(end["documents"]?.intValue == 4)
        #expect(end["interrupted"] == true)
        #expect(try replication.finish() == 0)
        #expect(try ids(folder, "b").count == 4)
        #expect(try Program.run("replicate", a, b).text == "Replicated 0 documents.\n")
    }

    @Test("an encrypted database is not copied into a plain one by accident")
    func keys() throws {
        let folder = try Folder()
        let file = try folder.keyFile()
        let source = try folder.encrypted("a.settee")
        let plain = try Program.run("replicate", source, folder.path("b"), "--create-target", "--key-file", file)
        #expect(plain.status == 1)
        #expect(plain.errors.contains("--new-key-file"))
        let options = ["--create-target", "--key-file", file, "--new-key-file", file]
        let copy = try Child(["replicate", source, folder.path("b")] + options, input: []).wait()
        #expect(copy.status == 0, "\(copy.errors)")
        #expect(try Program.run("info", folder.path("b")).status == 1)
        #expect(try Program.run("info", folder.path("b"), "--key-file", file).status == 0)
    }

    @Test(
        "what makes no sense is a usage error, and no password is taken from an argument",
        arguments: [
            ["http://a.example/a", "http://a.example/b"], ["a", "http://ida:secret@a.example/b"],
            ["a", "http://ida@a.example/b"], ["a", "http://a.example/"], ["a", "https:"], ["", "b"], ["a"],
            ["a", "b", "--user", "ida"], ["a", "http://a.example/b", "--user", "ida"],
            ["a", "http://a.example/b", "--password-file", "f"],
            ["a", "b", "--pin", String(repeating: "a", count: 64)],
            ["a", "http://a.example/b", "--pin", "abc"], ["a", "http://a.example/b", "--channels", "c"],
            ["a", "b", "--doc-ids", "x", "--selector", "{}"], ["a", "b", "--selector", "["],
            ["a", "b", "--param", "k=v"], ["a", "b", "--filter", "d/f", "--param", "k"],
            ["a", "http://a.example/b", "--user", "i", "--password-file", "f", "--token-file", "t"],
        ]
    )
    func usage(arguments: [String]) throws {
        let outcome = try Child(["replicate"] + arguments, input: []).wait()
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(!outcome.errors.contains("secret"))
    }

    @Test("a file of a password that holds none, and a filter that is not there, are told")
    func failures() throws {
        let folder = try Folder()
        try library(folder)
        let file = folder.path("password")
        for text in ["", "\n", "a\nb\n"] {
            try Data(text.utf8).write(to: folder.url("password"))
            let outcome = try Program.run(
                "replicate",
                folder.path("a"),
                "http://127.0.0.1:1/b",
                "--user",
                "ida",
                "--password-file",
                file
            )
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains("(495 badParameter)"), "\(outcome.errors)")
        }
        let filter = try Program.run(
            "replicate",
            folder.path("a"),
            folder.path("b"),
            "--create-target",
            "--filter",
            "d/f"
        )
        #expect(filter.status == 1)
        #expect(filter.errors.contains("404"), "\(filter.errors)")
    }

    @Test("a document that is refused is tried again by --retry-failed only, also by another process")
    func retryFailed() throws {
        let folder = try Folder()
        try library(folder, "a", ["one", "two"])
        let (a, b) = (folder.path("a"), folder.path("b"))
        let file = folder.path("content")
        try Data(repeating: 7, count: 200_000).write(to: URL(filePath: file))
        #expect(try Program.run("attach", a, "two", "x", file).status == 0)
        let blobs = folder.path("a") + "/blobs-000001"
        let name = try #require(FileManager.default.subpaths(atPath: blobs)?.first { $0.contains("/") })
        let kept = folder.path("kept")
        try FileManager.default.moveItem(atPath: "\(blobs)/\(name)", toPath: kept)
        let first = try Program.run("replicate", a, b, "--create-target")
        #expect(first.status == 1 && first.errors.contains("'two'"), "\(first.errors)")
        let again = try Program.run("replicate", a, b, "--retry-failed")
        #expect(again.status == 1 && again.errors.contains("'two'"), "\(again.errors)")
        try FileManager.default.moveItem(atPath: kept, toPath: "\(blobs)/\(name)")
        #expect(try Program.run("replicate", a, b).text == "Replicated 0 documents.\n")
        #expect(try Program.run("replicate", a, b, "--retry-failed").text == "Replicated 1 document.\n")
        #expect(try ids(folder, "b") == ["one", "two"])
        #expect(try Program.run("replicate", a, b, "--retry-failed").text == "Replicated 0 documents.\n")
    }
}
