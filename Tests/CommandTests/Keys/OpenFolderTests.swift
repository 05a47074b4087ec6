import Foundation
import Settee
import SetteeProgramSupport
import SetteeSystemLibrary
import Testing

/// Errors of chmod were passed over, so nobody learned that the folder of an encrypted database was open to others.
@Suite("Encrypted databases whose folders let others in")
struct OpenFolderTests {
    private let folder: Folder
    private let key: [String]

    init() throws {
        folder = try Folder()
        key = ["--key-file", try folder.keyFile()]
    }

    private func run(_ arguments: [String]) throws -> Program.Outcome {
        try Child(arguments, input: [], environment: [:]).wait().expectSuccess()
    }

    private static let log = ["--log", "Storage=warning"]

    @Test("info, check and the log tell of it", arguments: [0o755, 0o750, 0o701] as [mode_t])
    func opened(mode: mode_t) throws {
        let db = try folder.encrypted()
        #expect(try run(["info", db, "--json"] + key).object()["openToOthers"]?.boolValue == false)
        #expect(try run(["check", db, "--json"] + key + Self.log).object()["notes"] == nil)
        try #require(chmod(db, mode) == 0)
        #expect(try run(["info", db, "--json"] + key).object()["openToOthers"]?.boolValue == true)
        #expect(try run(["info", db] + key).text.contains("open to others"))
        let checked = try run(["check", db] + key + Self.log)
        #expect(checked.text.contains("note: others"))
        #expect(checked.errors.contains("let into its folder"))
        let asJSON = try run(["check", db, "--json"] + key).object()
        #expect(asJSON["ok"]?.boolValue == true && asJSON["notes"]?.arrayValue?.count == 1)
    }

    @Test("Nothing is told of a plain database")
    func plain() throws {
        let db = try folder.database()
        try #require(chmod(db, 0o755) == 0)
        #expect(try !run(["info", db]).text.contains("others"))
        #expect(try run(["check", db] + Self.log).errors == "")
    }

    @Test(
        "A mode that cannot be set is told of, and the database is encrypted all the same",
        .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
    )
    func refused() throws {
        let db = try folder.database()
        try #require(chmod(db, 0o755) == 0)
        let options = ["-e", "trace=?chmod,?fchmodat", "-e", "inject=?chmod,?fchmodat:error=EPERM"]
        let outcome = try TracedCall.run(
            Program.required(),
            ["rekey", db, "--new-key-file", key[1]] + Self.log,
            options,
            log: folder.path("trace")
        ).expectSuccess()
        #expect(outcome.errors.contains("let into its folder"), "\(outcome.errors)")
        #expect(try run(["info", db, "--json"] + key).object()["openToOthers"]?.boolValue == true)
    }
}
