import Foundation
import Settee
import SetteeProgramSupport
import Testing

@Suite("ls and changes")
struct ListingTests {
    let folder: Folder
    let db: String

    init() throws {
        folder = try Folder()
        let lines = (0..<600).map { #"{"_id":"d\#(String(format: "%03d", $0))","n":\#($0)}"# }
        db = try folder.database(documents: lines.joined(separator: "\n"))
        try Program.succeed("rm", db, "d005")
    }

    private func ids(_ arguments: String...) throws -> [String] { try ids(arguments) }

    private func ids(_ arguments: [String]) throws -> [String] {
        let outcome = try Child(["ls", db, "--json"] + arguments, input: []).wait()
        #expect(outcome.status == 0)
        return try outcome.objects().compactMap { $0["id"]?.stringValue }
    }

    @Test("ls lists live documents in the order of IDs")
    func all() throws {
        let all = try ids()
        #expect(all.count == 599)
        #expect(all == all.sorted())
        #expect(try ids("--descending") == all.reversed())
    }

    @Test("ls takes ranges, limits and keys")
    func ranges() throws {
        #expect(try ids("--start-key", "d003", "--end-key", "d007") == ["d003", "d004", "d006", "d007"])
        #expect(
            try ids("--start-key", "d007", "--end-key", "d003", "--descending") == ["d007", "d006", "d004", "d003"]
        )
        #expect(try ids("--limit", "2", "--skip", "1") == ["d001", "d002"])
        #expect(try ids("--limit", "0") == [])
        #expect(try ids("--keys", "d009", "nope", "d001") == ["d001", "d009"])
        #expect(try ids("--keys", "d009", "--keys", "d002", "d001", "", "-", "--limit", "2") == ["d001", "d002"])
        // Ten minutes when the parser got each of them.
        let many = (0..<20_000).map { "key\($0)" }
        let clock = ContinuousClock()
        var found: [String] = []
        #expect(try clock.measure { found = try ids(["--keys", "d009"] + many) } < .seconds(20))
        #expect(found == ["d009"])
    }

    @Test("ls rows have id and rev, and deleted and doc on request")
    func fields() throws {
        let rows = try Program.succeed(
            "ls",
            db,
            "--json",
            "--include-deleted",
            "--include-docs",
            "--start-key",
            "d004",
            "--limit",
            "2"
        ).objects()
        #expect(rows[0].keys == ["doc", "id", "rev"])
        #expect(rows[0]["doc"]?["n"]?.intValue == 4)
        #expect(rows[0]["doc"]?["_rev"]?.stringValue == rows[0]["rev"]?.stringValue)
        #expect(rows[1]["deleted"]?.boolValue == true)
    }

    @Test("Without --json the columns are aligned and control characters escaped")
    func text() throws {
        _ = try Child(["put", db, "d0\u{1B}[2J\n", "{}"], input: []).wait()
        let lines = try Program.succeed("ls", db, "--limit", "20").lines
        #expect(lines.count == 20)
        #expect(!lines.contains { $0.contains("\u{1B}") })
        #expect(Set(lines.compactMap { $0.range(of: "  1-")?.lowerBound.utf16Offset(in: $0) }).count >= 1)
    }

    @Test("changes lists each document once in the order of sequences")
    func changes() throws {
        let rows = try Program.succeed("changes", db, "--json").objects()
        let sequences = rows.compactMap { $0["seq"]?.intValue }
        #expect(rows.count == 600)
        #expect(sequences == sequences.sorted())
        #expect(rows.last?["id"]?.stringValue == "d005")
        #expect(rows.last?["deleted"]?.boolValue == true)
        #expect(rows.first?.keys == ["id", "rev", "seq"])
        let last = try Program.succeed("changes", db, "--json", "--since", "600").objects()
        #expect(last.count == 1)
        #expect(try Program.succeed("changes", db, "--since", "18446744073709551615").text.isEmpty)
        #expect(try Program.succeed("changes", db, "--descending", "--limit", "3", "--include-docs").lines.count == 3)
    }

    @Test("A reader that goes away ends the listing quietly")
    func brokenPipe() throws {
        let script = "{ $settee ls db --include-docs; echo status $? >&2; } | head -n 1"
        let outcome = try Program.shell(script, in: folder)
        #expect(outcome.lines.count == 1)
        #expect(outcome.errors == "status 0\n")
    }

    @Test("A full device is an error", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDevice() throws {
        let outcome = try Program.shell("$settee ls db --json > /dev/full", in: folder)
        #expect(outcome.status == 1)
        #expect(try outcome.error().status == 507)
    }
}
