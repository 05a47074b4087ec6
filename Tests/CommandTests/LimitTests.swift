import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// A process may be started with low limits. Nothing is lost because of them, and the message names the limit that was
/// reached.
@Suite("Resource limits of the process")
struct LimitTests {
    private static let isSanitized = ProcessInfo.processInfo.environment["SETTEE_SANITIZED"] != nil
    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    /// `N` is replaced by a different number for each call.
    private static let commands = [
        "get db a", "get db a --read-only", "put db new-N {}", "ls db", "view query db v", "attach db file-N f content",
        "cat-attachment db file f", "export db -o export", "export db --all", "info db", "check db", "compact db",
        "copy db copy-N", "create made-N", "import db lines", "changes db", "view update db",
    ]

    private func database(_ type: String, in folder: Folder) throws {
        let db = try folder.database(type: type, documents: #"{"_id":"a","n":1}"#)
        _ = try folder.file("content", "content")
        _ = try folder.file("lines", #"{"_id":"a"}"#)
        try Program.succeed("attach", db, "file", "f", folder.path("content"))
        try Program.succeed("view", "define", db, "v", "--key", "/n")
    }

    @Test("Few open files", arguments: PlainTypes.all)
    func openFiles(_ type: String) throws {
        let folder = try Folder()
        try database(type, in: folder)
        // The loader itself needs a few.
        let limits = Self.isStress ? Array(5...40) : [6, 8, 9, 10, 11, 12, 13, 14, 16, 19, 23]
        for (number, limit) in limits.enumerated() {
            let commands =
                Self.isStress ? Self.commands : (0..<6).map { Self.commands[(number * 6 + $0) % Self.commands.count] }
            for command in commands {
                let call = command.replacingOccurrences(of: "-N", with: "-\(limit)")
                let outcome = try Program.shell("ulimit -n \(limit); timeout 60 \"$settee\" \(call)", in: folder)
                let what = "\(limit): \(call): \(outcome.status) \(outcome.errors)"
                #expect([0, 1].contains(outcome.status), "\(what)")
                if outcome.status == 1, !command.hasPrefix("import") || !outcome.errors.contains("409") {
                    #expect(outcome.errors.contains("ulimit -n"), "\(what)")
                }
            }
        }
        #expect(try Program.succeed("check", folder.path("db")).text == "ok\n")
        #expect(try Program.succeed("cat-attachment", folder.path("db"), "file", "f").text == "content")
        #expect(try !folder.entries().contains { $0.contains("partial") || $0.hasPrefix(".settee") })
    }

    /// Dispatch waits for ever for a thread that does not fit. Where Swift's own memory does not fit, the process ends.
    @Test("Little memory", .enabled(if: !isSanitized, "the sanitizer reserves terabytes"), arguments: PlainTypes.all)
    func memory(_ type: String) throws {
        let folder = try Folder()
        try database(type, in: folder)
        // What loading the program takes, in KiB.
        var (low, high) = (16 << 10, 4 << 20)
        while high - low > 1024 {
            let middle = (low + high) / 2
            let outcome = try Program.shell("ulimit -v \(middle); \"$settee\" --version", in: folder)
            if outcome.status == 0 { high = middle } else { low = middle }
        }
        var refused = 0
        // RocksDB wants to have 320 MiB before it is loaded, and would end the process later on.
        let most = type == "rocksdb" ? 352 << 10 : 28 << 10
        for (number, extra) in stride(from: 0, to: most, by: most / (Self.isStress ? 56 : 11)).enumerated() {
            let commands = Self.isStress ? Self.commands : [Self.commands[number % Self.commands.count], "ls db"]
            for command in commands {
                let call = command.replacingOccurrences(of: "-N", with: "-m\(number)")
                let outcome = try Program.shell(
                    "ulimit -v \(high + extra); timeout -s KILL 30 \"$settee\" \(call)",
                    in: folder
                )
                #expect(outcome.status != 137, "\(high + extra): \(call) hangs")
                if type == "rocksdb" { #expect(0...1 ~= outcome.status, "\(high + extra): \(call): \(outcome.errors)") }
                if outcome.errors.contains("ulimit -v") || outcome.errors.contains("address space") { refused += 1 }
            }
        }
        #expect(refused > 0, "no limit was between what loading takes and what a database takes")
        #expect(try Program.succeed("check", folder.path("db")).text == "ok\n")
    }

    @Test("A small stack", arguments: PlainTypes.all)
    func stack(_ type: String) throws {
        let folder = try Folder()
        try database(type, in: folder)
        for command in Self.commands where !command.hasPrefix("import") {
            let call = command.replacingOccurrences(of: "-N", with: "-x")
            let outcome = try Program.shell("ulimit -s 64; \"$settee\" \(call)", in: folder)
            #expect(outcome.status == 0, "\(call): \(outcome.status) \(outcome.errors)")
        }
        // Map functions run on system threads.
        let many = (0..<3_000).map { #"{"_id":"m\#($0)","n":\#($0)}"# }.joined(separator: "\n")
        try Program.succeed("import", folder.path("db"), "-", input: many)
        #expect(try Program.shell("ulimit -s 64; \"$settee\" view query db v --limit 1", in: folder).status == 0)
        #expect(
            try Program.shell(
                "ulimit -s 64; \"$settee\" export db --all >all && \"$settee\" import new all",
                in: folder
            ).status == 0
        )
    }

    @Test(
        "A file size limit is treated as a full disk",
        .disabled(
            if: LimitTests.isSanitized,
            "The thread sanitizer's own start breaks the limit and ends the process."
        ),
        arguments: PlainTypes.all
    )
    func fileSize(_ type: String) throws {
        let folder = try Folder()
        try database(type, in: folder)
        for limit in Self.isStress ? Array(0...80) : [0, 1, 4, 8, 32, 64] {
            for command in [
                "put db new-N {}", "get db a", "get db a --read-only", "export db -o export", "create made-N",
            ] {
                let call = command.replacingOccurrences(of: "-N", with: "-\(limit)")
                // What the program prints goes through a pipe, to which the limit does not apply.
                let script = "(ulimit -f \(limit); \"$settee\" \(call) 2>&1; echo \"status $?\") | cat"
                let outcome = try Program.shell(script, in: folder).text
                #expect(
                    outcome.hasSuffix("status 0\n") || outcome.contains("(507 full)"),
                    "\(limit): \(call): \(outcome)"
                )
            }
        }
        #expect(try Program.succeed("check", folder.path("db")).text == "ok\n")
        #expect(try !folder.entries().contains { $0.contains("partial") || $0.hasPrefix(".settee") })
    }

    @Test("A leading ~ in a path is not expanded")
    func tilde() throws {
        let folder = try Folder()
        _ = try folder.file("~lines", #"{"_id":"a"}"#)
        for name in ["~", "~root", "~nobody-of-this-name"] {
            let script = """
                mkdir '\(name)'; "$settee" create '\(name)/db' && "$settee" import '\(name)/db' '~lines' &&
                "$settee" copy '\(name)/db' '\(name)/copy' && "$settee" export '\(name)/copy' -o '\(name)/out' &&
                ln -s out '\(name)/link' && "$settee" export '\(name)/db' --all -o '\(name)/link' &&
                "$settee" import '\(name)/new' '\(name)/out' && "$settee" attach '\(name)/db' a f '~lines' && ls '\(name)'
                """
            let outcome = try Program.shell(script, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text.hasSuffix("copy\ndb\nlink\nnew\nout\n"), "\(outcome.text)")
        }
        #expect(
            try Program.shell("\"$settee\" create '~x'; \"$settee\" create '~x'", in: folder).errors.contains("412")
        )
        #expect(try folder.entries().contains("~x"))
    }
}
