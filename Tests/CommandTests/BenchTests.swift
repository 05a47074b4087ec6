import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("bench")
struct BenchTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("Inserts are measured while observers are told of each, on every engine")
    func observed() throws {
        let file = folder.path("results.json")
        try Program.succeed(
            "bench",
            "--docs",
            "150",
            "--rounds",
            "1",
            "--output",
            file,
            "--workload",
            "insert-batch-observed",
            "--workload",
            "insert-single-observed"
        )
        let results = try JSONValue(parsing: String(decoding: folder.bytes("results.json"), as: UTF8.self))
        let entries = try #require(results["results"]?.arrayValue)
        let found = entries.map { "\($0["engine"]?.stringValue ?? "") \($0["workload"]?.stringValue ?? "")" }
        let wanted = BuiltInEngines.all.map(\.storageType).flatMap { engine in
            ["insert-batch", "insert-single"].map { "\(engine) \($0)-observed" }
        }
        #expect(found.sorted() == wanted.sorted())
        for entry in entries { #expect(entry["operations"]?.intValue ?? 0 > 0) }
        let libraries = results["environment"]?["libraries"]
        #expect(libraries?["sqlite"] != nil && libraries?["sqlite of sqlcipher"] != nil && libraries?["lmdb"] != nil)
    }

    @Test("A file without an end is refused and not kept in memory")
    func endless() throws {
        let run = try Program.run("bench", "report", "/dev/zero")
        #expect(run.status == 1)
        #expect(run.errors.contains("more than 67108864 bytes"))
    }

    @Test("A file of results is shown again, compared, and made into a page")
    func results() throws {
        let files = try ["old.json", "new.json"].map { name in
            try Program.succeed(
                "bench",
                "--docs",
                "50",
                "--rounds",
                "2",
                "--storage-type",
                "memory",
                "--workload",
                "insert-batch",
                "--output",
                folder.path(name)
            )
            return folder.path(name)
        }
        #expect(try Program.succeed("bench", "report", files[0]).text.contains("insert-batch"))
        #expect(try Program.succeed("bench", "compare", files[0], files[1]).text.contains("insert-batch"))
        try Program.succeed("bench", "report", files[0], "--html", folder.path("page.html"))
        #expect(String(decoding: try folder.bytes("page.html"), as: UTF8.self).contains("<svg"))
    }

    @Test("What is no file of results is refused", arguments: ["", "{}", "[1]", #"{"format":1,"results":5}"#])
    func noResults(_ text: String) throws {
        let file = try folder.file("bad.json", text)
        for command in [["report", file], ["compare", file, file]] {
            let outcome = try Child(["bench"] + command + ["--json"], input: [], environment: [:]).wait()
            #expect(outcome.status == 1, "\(command)")
            #expect(!outcome.errors.isEmpty)
        }
    }

    @Test("Options that several of the commands have are those of the command that is given")
    func sharedOptions() throws {
        let load = ["--documents", "200", "--reads", "100", "--durability", "full", "--json"]
        let outcome = try Child(["bench", "recommend"] + load, input: [], environment: [:]).wait()
        #expect(try outcome.expectSuccess().object()["durability"]?.stringValue == "full")
        let other = try Child(
            ["bench", "recommend", "--documents", "200", "--reads", "100", "--durability", "normal", "--json"],
            input: [],
            environment: [:]
        ).wait()
        #expect(try other.expectSuccess().object()["durability"]?.stringValue == "normal")
    }

    @Test("Numbers of documents that come to the same are measured once")
    func sameNumbers() throws {
        let file = folder.path("results.json")
        try Program.succeed(
            "bench",
            "--docs",
            "20",
            "--docs",
            "20",
            "--docs",
            "30",
            "--rounds",
            "1",
            "--storage-type",
            "memory",
            "--workload",
            "insert-64k",
            "--output",
            file
        )
        try Program.succeed("bench", "report", file)
    }

    @Test("Paths that cannot be written to are told of before anything is measured")
    func wrongPaths() throws {
        let run = ["bench", "--docs", "100000000", "--storage-type", "memory", "--workload", "insert-batch"]
        for path in [folder.path("none/results"), folder.path] {
            let outcome = try Child(run + ["--output", path, "--json"], input: [], environment: [:]).wait()
            #expect(try outcome.error().status == 498)
        }
        let same = try Child(run + ["--output", "x", "--html", "x"], input: [], environment: [:]).wait()
        #expect(same.status == 2)
    }

    @Test("What does not belong together is refused")
    func contradictions() throws {
        let key = try folder.keyFile()
        let trace = try folder.file("trace", "")
        for arguments in [
            ["recommend", "--reads", "1", "--rounds", "2"], ["recommend", "--trace", trace, "--reads", "1"],
            ["report", "x", "--json", "--markdown"],
        ] {
            #expect(try Child(["bench"] + arguments, input: [], environment: [:]).wait().status == 2, "\(arguments)")
        }
        for arguments in [
            ["recommend", "--reads", "1", "--key-file", key], ["replay", trace, "db", "--storage-type", "memory"],
            ["run", "--data", folder.path],
        ] {
            #expect(try Child(["bench"] + arguments, input: [], environment: [:]).wait().status == 1, "\(arguments)")
        }
    }
}
