import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("Usage")
struct UsageTests {
    @Test(
        "A usage error has exit status 2 and prints nothing on standard output",
        arguments: [
            ["bogus"], ["get"], ["get", "db"], ["ls", "db", "--bogus"], ["ls", "db", "--limit", "x"],
            ["ls", "db", "--limit=-1"], ["ls", "db", "--skip=-1"], ["ls", "db", "--limit", "99999999999999999999"],
            ["changes", "db", "--since=-1"], ["ls", "db", "--log", "Query=loud"], ["ls", "db", "--log", "=debug"],
            ["create", "db", "--durability", "some"], ["create", "db", "--compression", "zip"], ["ls", ""],
            ["import", "db", "-", "--at", "statuses"], ["import", "db", "-", "--at", "/~2"],
            ["import", "db", "-", "--format", "csv"], ["import", "db", "-", "--at", "/a", "--format", "lines"],
            ["ls", "db", "--keys", "a", "--start-key", "b"], ["put", "db", "a", "{}", "extra"],
        ]
    )
    func errors(_ arguments: [String]) throws {
        let outcome = try Child(arguments, input: []).wait()
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(!outcome.errors.isEmpty)
        let inJSON = try Child(arguments + ["--json"], input: []).wait()
        #expect(inJSON.status == 2)
        #expect(try inJSON.error().status == 400)
        #expect(try inJSON.error().code == "usage")
    }

    @Test(
        "Help and version are not errors",
        arguments: [["--help"], ["--version"], ["help", "import"], ["ls", "--help"]]
    )
    func help(_ arguments: [String]) throws {
        let outcome = try Child(arguments, input: []).wait()
        #expect(outcome.status == 0)
        #expect(!outcome.output.isEmpty)
        #expect(outcome.errors.isEmpty)
    }

    @Test("Help names every command")
    func commands() throws {
        let text = try Program.succeed("--help").text
        for command in [
            "create", "put", "get", "rm", "purge", "expire", "ls", "changes", "import", "export", "info", "check",
            "compact",
            "copy", "rekey", "migrate", "find", "index", "view", "serve", "bench",
        ] {
            #expect(text.contains("\n  \(command) "), "\(command)")
        }
    }

    @Test("With --json every line of standard error is one JSON object; a member distinguishes log lines from errors")
    func errorLines() throws {
        let folder = try Folder()
        let db = folder.path("db")
        try Program.succeed("create", db)
        let outcome = try Child(["put", db, "a", "{", "--json", "--log", "all=trace"], input: []).wait()
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        var kinds: [String: Int] = [:]
        for line in outcome.errors.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let object = try #require(JSONValue(parsing: String(line)).objectValue)
            let kind = try #require(object.keys.first)
            kinds[kind, default: 0] += 1
            #expect(object.count == 1)
            if kind == "log" {
                #expect(object["log"]?.objectValue?.keys == ["domain", "level", "message", "time"])
            }
        }
        #expect(kinds["error"] == 1 && (kinds["log"] ?? 0) > 0 && kinds.count == 2)
    }

    @Test("An error with line feeds in it is one line all the same", arguments: ["a\nb", "\r\n", "\n\n"])
    func lineFeeds(_ text: String) throws {
        for arguments in [["get", "no\(text)such", "a"], ["ls", "db", "--limit", text], ["no\(text)command"]] {
            let outcome = try Child(arguments + ["--json"], input: []).wait()
            #expect(outcome.status == 1 || outcome.status == 2)
            #expect(outcome.errors.utf8.count { $0 == 10 || $0 == 13 } == 1, "\(outcome.errors)")
            #expect(try outcome.error().message?.isEmpty == false)
        }
    }

    @Test(
        "Without /proc the program cannot see its arguments, and says so",
        .enabled(if: UsageTests.canHideProc, "only root can hide /proc from a program")
    )
    func unseenArguments() throws {
        let command = "mount -t tmpfs none /proc && exec \"$0\" create db"
        let program = try Program.required().path
        let folder = try Folder()
        let outcome = try Child(
            program: URL(filePath: "/usr/bin/unshare"),
            ["-m", "sh", "-c", "cd '\(folder.path(""))' && " + command, program],
            input: [],
            environment: [:]
        ).wait()
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome.errors)")
        #expect(outcome.errors.contains("/proc"))
        #expect(try folder.entries() == [])
    }

    private static let canHideProc: Bool = {
        let probe = Process()
        probe.executableURL = URL(filePath: "/usr/bin/unshare")
        probe.arguments = ["-m", "mount", "-t", "tmpfs", "none", "/proc"]
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }()

    @Test("Completion scripts are generated", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) throws {
        let script = try Program.succeed("--generate-completion-script", shell).text
        #expect(script.contains("settee"))
        #expect(script.contains("compact"))
    }

    @Test("--log is accepted", arguments: ["Query", "query=debug", "Validation=TRACE", "all"])
    func log(_ setting: String) throws {
        let folder = try Folder()
        let db = try folder.database()
        try Program.succeed("ls", db, "--log", setting, "--log", "Storage=info")
    }

    @Test("bench writes one line of JSON, refuses keys, and survives a reader that goes away")
    func bench() throws {
        let folder = try Folder()
        let bench = "$settee bench --docs 10 --rounds 1 --storage-type memory --workload insert-batch"
        let outcome = try Program.shell("\(bench) --json --output report", in: folder)
        #expect(outcome.status == 0)
        #expect(try outcome.object()["results"] != nil)
        #expect(try JSONValue(parsing: String(decoding: folder.bytes("report"), as: UTF8.self))["results"] != nil)
        #expect(try Program.run("bench", "--json", environment: ["SETTEE_KEY": ""]).error().status == 501)
        #expect(try Program.shell("(\(bench); echo $? >status) | true; cat status", in: folder).text == "0\n")
        let unwritable = try Program.shell("\(bench) --json --output none/report", in: folder)
        #expect(unwritable.status == 1)
        #expect(try unwritable.error().status == 498)
    }

    @Test("The database's files do not take the place of closed standard streams")
    func closedStreams() throws {
        let folder = try Folder()
        let lines = (0..<3000).map { #"{"_id":"a rather long document ID that fills the buffer \#($0)"}"# }
        _ = try folder.database(documents: lines.joined(separator: "\n"))
        _ = try folder.file("again", #"{"_id":"b"}"# + "\n" + #"{"_id":"b"}"#)
        #expect(try Program.shell("$settee ls db >&-", in: folder).status == 1)
        #expect(try Program.shell("$settee import db again <&- >&- 2>&-", in: folder).status == 1)
        #expect(try folder.bytes("db/gate").isEmpty)
        #expect(try folder.bytes("db/lock").isEmpty)
        #expect(try Program.shell("$settee put db c <&-", in: folder).status == 1)
        #expect(try Program.succeed("check", folder.path("db")).text == "ok\n")
    }

    @Test("Arguments that are not UTF-8 are refused, not repaired")
    func encoding() throws {
        let folder = try Folder()
        _ = try folder.database()
        let outcome = try Program.shell(#"$settee put db "$(printf 'a\377')" '{}'"#, in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("UTF-8"))
        let inJSON = try Program.shell(#"$settee put --json db "$(printf 'a\377')" '{}'"#, in: folder)
        #expect(try inJSON.error().status == 490)
        #expect(try Program.succeed("ls", folder.path("db")).text.isEmpty)
    }
}
