import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// A killed decryption left plain text in a database that was still encrypted, and no command removed it, since the
/// next decryption was to resume it.
@Suite(
    "An interrupted decryption leaves no plain text",
    .serialized,
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct InterruptedDecryptionTests {
    private let folder: Folder
    private let file: String

    init() throws {
        folder = try Folder()
        file = try folder.keyFile()
    }

    static let decryptions = [["rekey", "--decrypt"], ["migrate", "--to", "lmdb", "--decrypt"]]

    @Test(arguments: decryptions, ["data-000002", "blobs-000002/"])
    func theNextOpeningRemovesIt(_ command: [String], _ killedAt: String) throws {
        let digest = try fill()
        let db = try traced(command).kill(folder.path("original"), whileNaming: killedAt)
        #expect(try leftovers().count > 2, "plain text is there")
        // Read-only commands cannot remove it, so they report it.
        let check = try run("check", "--read-only", "--json")
        #expect(check.status == 1)
        #expect(check.text.contains("'data-000002'") && check.text.contains("'blobs-000002'"), "\(check.text)")
        let info = try run("info", "--read-only", "--json").expectSuccess().object()
        #expect(info["leftovers"]?.arrayValue?.count == 2)
        #expect(try run("info", "--read-only").expectSuccess().text.contains("data-000002, "))
        #expect(try leftovers().count > 2, "reading alone changes nothing")
        // The first command that opens it with the key and may write removes it.
        try run("ls").expectSuccess()
        #expect(try leftovers() == ["blobs-000001", "data-000001"])
        #expect(try run("check").status == 0)
        let again = try Child([command[0], db] + command.dropFirst() + ["--key-file", file, "--json"], input: [])
            .wait().expectSuccess().object()
        #expect(again["resumed"]?.boolValue == false)
        #expect(try leftovers() == ["blobs-000002", "data-000002"])
        #expect(try Program.run("export", db, "--digest").expectSuccess().lines == [digest])
    }

    @Test("A repeated decryption removes it and starts over", arguments: decryptions)
    func repeated(_ command: [String]) throws {
        let digest = try fill()
        let db = try traced(command).kill(folder.path("original"), whileNaming: "data-000002")
        let again = try Child([command[0], db] + command.dropFirst() + ["--key-file", file, "--json"], input: [])
            .wait().expectSuccess().object()
        #expect(again["resumed"]?.boolValue == false)
        #expect(try leftovers().count == 2)
        #expect(try Program.run("export", db, "--digest").expectSuccess().lines == [digest])
    }

    @Test(
        "A signal cancels it and leaves nothing behind",
        arguments: decryptions + [["rekey", "--rotate"]],
        [true, false]
    )
    func aSignal(_ command: [String], isInterrupt: Bool) throws {
        let digest = try fill()
        let db = folder.path("db")
        try FileManager.default.moveItem(atPath: folder.path("original"), toPath: db)
        // Each write is delayed, and strace runs in the background so that the program is the process that gets the
        // signal.
        let slow = ["-D", "-f", "-o", db + ".trace", "-e", "inject=write,pwrite64:delay_enter=20000"]
        let strace = URL(filePath: try #require(TracedCall.strace))
        let arguments = try slow + [Program.required().path] + traced(command).arguments(db)
        let child = try Child(program: strace, arguments, input: [], environment: [:])
        let end = Date(timeIntervalSinceNow: 60)
        while child.isRunning, Date() < end, try leftovers().count < 4 { Thread.sleep(forTimeInterval: 0.002) }
        isInterrupt ? child.interrupt() : child.terminate()
        let outcome = try child.wait()
        #expect(outcome.status == 128 + (isInterrupt ? 2 : 15))
        #expect(outcome.errors.contains("Interrupted"), "\(outcome.errors)")
        #expect(try leftovers() == ["blobs-000001", "data-000001"])
        #expect(try run("check", "--read-only").status == 0)
        #expect(try run("export", "--digest").expectSuccess().lines == [digest])
    }

    // MARK: - Support

    private func traced(_ command: [String]) throws -> TracedCommand {
        var options = ["--key-file", file]
        if command.contains("--rotate") { options += ["--new-key-file", try folder.keyFile("other", TestKey.other)] }
        return try TracedCommand(folder: folder) { db in [command[0], db] + command.dropFirst() + options }
    }

    private func run(_ command: String, _ options: String...) throws -> Program.Outcome {
        try Child([command, folder.path("db"), "--key-file", file] + options, input: []).wait()
    }

    private func leftovers() throws -> [String] {
        try folder.entries("db").filter { name in
            ["data-", "blobs-", ".settee"].contains { name.hasPrefix($0) }
        }
    }

    /// - Returns: the digest of the content.
    private func fill() throws -> String {
        let key = TestKey.bytes
        let options = DatabaseOptions(
            storageType: .sqlcipher,
            durability: .normal,
            key: try StorageKey(bytes: key.span.bytes)
        )
        let database = try Database.open(
            at: folder.url("original"),
            options: options
        )
        try database.inTransaction {
            for number in 0..<500 {
                let text = String(repeating: "text \(number) ", count: 1_800)
                try database["d\(number)"].put(["n": JSONValue(number), "text": .string(text)])
            }
        }
        for number in 0..<20 {
            let content = [UInt8](repeating: UInt8(number), count: 100 + number * 100_000)
            try database["d\(number)"].setAttachment(named: "file", content: content)
        }
        let digest = try database.contentDigest()
        try database.close()
        return digest
    }
}
