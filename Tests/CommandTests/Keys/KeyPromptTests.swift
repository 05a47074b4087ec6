import Foundation
import SetteeProgramSupport
import SetteeSystemLibrary
import Testing

/// Keys that are typed at a terminal.
@Suite(
    "Keys that are asked for",
    .enabled(if: TerminalChild.setsid != nil, "there is no setsid, which gives a program a terminal")
)
struct KeyPromptTests {
    let folder: Folder

    init() throws { folder = try Folder() }

    @Test("Opening an encrypted database without a key asks for it once, and does not show what is typed")
    func open() throws {
        let db = try folder.encrypted()
        let child = try TerminalChild(["get", db, "a"])
        #expect(child.shows("Key of '\(db)': "))
        #expect(!child.echoes)
        child.type(TestKey.raw + "\n")
        #expect(child.wait() == 0)
        #expect(child.screen.contains("marker"))
        #expect(!child.screen.contains(TestKey.digits))
        #expect(child.echoes)
    }

    @Test(
        "A wrong key, an empty one and none",
        arguments: [(TestKey.other + "\n", "401"), ("\n", "495"), ("\u{4}", "400")]
    )
    func refused(_ typed: String, _ status: String) throws {
        let db = try folder.encrypted()
        let before = try folder.state("db")
        let child = try TerminalChild(["put", db, "b", "{}", "--json"])
        #expect(child.shows("Key of"))
        child.type(typed)
        #expect(child.wait() == 1)
        #expect(child.screen.contains("\"status\":\(status)"))
        #expect(child.echoes)
        #expect(try folder.state("db") == before)
    }

    @Test("A plain database, or a key that is given: no prompt")
    func notAsked() throws {
        let plain = try folder.database("plain")
        let db = try folder.encrypted()
        let key = try folder.keyFile()
        for arguments in [["ls", plain], ["ls", db, "--key-file", key], ["create", folder.path("new")]] {
            let child = try TerminalChild(arguments)
            #expect(child.wait() == 0, "\(arguments)")
            #expect(!child.screen.lowercased().contains("key"), "\(arguments)")
        }
    }

    @Test("No prompt if standard input is not a terminal")
    func input() throws {
        let db = try folder.encrypted()
        let program = try Program.required().path
        let script = "'\(program)' ls '\(db)' --json </dev/null; '\(program)' ls '\(db)' --json 2>'\(folder.path("e"))'"
        let child = try TerminalChild(scripted: script)
        #expect(child.wait() == 1)
        #expect(child.screen.contains("\"status\":401"))
        #expect(!child.screen.contains("Key of"))
        #expect(String(decoding: try folder.bytes("e"), as: UTF8.self).contains("\"status\":401"))
    }

    @Test("A new key is asked for twice, by create and import", arguments: [["create"], ["import"]])
    func create(_ command: [String]) throws {
        let db = folder.path("db")
        let file = try folder.file("content", "{}")
        let arguments = command + [db] + (command == ["import"] ? [file] : []) + ["--storage-type", "sqlcipher"]
        let different = try TerminalChild(arguments + ["--json"])
        #expect(different.shows("New key of"))
        different.type(TestKey.raw + "\n")
        #expect(different.shows("again: "))
        different.type(TestKey.other + "\n")
        #expect(different.wait() == 1)
        #expect(different.screen.contains("\"status\":400"))
        #expect(try folder.entries() == ["content"])
        let child = try TerminalChild(arguments)
        #expect(child.shows("New key of"))
        child.type(TestKey.raw + "\n")
        #expect(child.shows("again: "))
        #expect(!child.echoes)
        child.type(TestKey.raw + "\n")
        #expect(child.wait() == 0)
        #expect(!child.screen.contains(TestKey.digits))
        #expect(try Program.run("ls", db, environment: ["SETTEE_KEY": TestKey.raw]).status == 0)
    }

    @Test("rekey asks for the old key once and the new one twice")
    func rekey() throws {
        let db = try folder.encrypted()
        let child = try TerminalChild(["rekey", db])
        #expect(child.shows("Key of"))
        child.type(TestKey.raw + "\n")
        #expect(child.shows("New key of"))
        child.type(TestKey.other + "\n")
        #expect(child.shows("again: "))
        child.type(TestKey.other + "\n")
        #expect(child.wait() == 0)
        #expect(try Program.run("ls", db, "--json", environment: ["SETTEE_KEY": TestKey.raw]).error().status == 401)
        #expect(try Program.run("ls", db, environment: ["SETTEE_KEY": TestKey.other]).status == 0)
    }

    /// Between the two prompts the terminal echoed what was typed: the new key, if it was typed ahead.
    @Test("What is typed before the next prompt is not shown, and answers it")
    func typedAhead() throws {
        let db = try folder.encrypted()
        let child = try TerminalChild(["rekey", db])
        #expect(child.shows("Key of"))
        child.type(TestKey.raw + "\n")
        #expect(child.hides(until: "New key of"))
        child.type(TestKey.other + "\n" + TestKey.other + "\n")
        #expect(child.wait() == 0)
        #expect(child.echoes)
        #expect(!child.screen.contains(TestKey.other))
        #expect(try Program.run("ls", db, environment: ["SETTEE_KEY": TestKey.other]).status == 0)
    }

    @Test("After a wrong key there are no further prompts, and the terminal echoes again")
    func wrongOldKey() throws {
        let child = try TerminalChild(["rekey", try folder.encrypted(), "--json"])
        #expect(child.shows("Key of"))
        child.type(TestKey.other + "\n")
        #expect(child.wait() == 1)
        #expect(child.screen.contains("\"status\":401"))
        #expect(child.echoes)
    }

    @Test(
        "A signal ends the prompt, and the terminal echoes again",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    )
    func signals(_ number: Int32) throws {
        let db = try folder.encrypted()
        let child = try TerminalChild(["ls", db])
        #expect(child.shows("Key of"))
        #expect(!child.echoes)
        // Sent by Ctrl-C, or by another process.
        if number == SIGINT { child.type("\u{3}") } else { child.send(number) }
        #expect(child.wait() != 0)
        #expect(child.echoes)
    }

    @Test("A line that a terminal would truncate is refused")
    func long() throws {
        let db = try folder.encrypted()
        let child = try TerminalChild(["ls", db, "--json"])
        #expect(child.shows("Key of"))
        child.type(String(repeating: "z", count: 4095) + "\n")
        #expect(child.wait() == 1)
        #expect(child.screen.contains("too long"))
    }
}
