import Foundation
import SetteeProgramSupport
import Testing

/// A copy that was interrupted left its half-made folder beside, until somebody opened a database there.
@Suite(
    "An interrupted copy leaves nothing",
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct InterruptedCopyTests {
    @Test(arguments: PlainTypes.all, [true, false])
    func copy(_ type: String, isInterrupt: Bool) throws {
        let folder = try Folder()
        let documents = (0..<3000).map { #"{"_id":"d\#($0)","t":"\#(String(repeating: "x", count: 400))"}"# }
        let db = try folder.database(type: type, documents: documents.joined(separator: "\n"))
        // Each write takes a while, and the program is the process that is started.
        let slow = ["-D", "-f", "-o", folder.path("trace"), "-e", "inject=write,pwrite64:delay_enter=20000"]
        let strace = URL(filePath: try #require(TracedCall.strace))
        let arguments = try slow + [Program.required().path, "copy", db, folder.path("copy")]
        let child = try Child(program: strace, arguments, input: [], environment: [:])
        let end = Date(timeIntervalSinceNow: 60)
        func staged() throws -> [String] { try folder.entries().filter { $0.hasPrefix(".settee") } }
        while child.isRunning, Date() < end, try staged().isEmpty { Thread.sleep(forTimeInterval: 0.002) }
        isInterrupt ? child.interrupt() : child.terminate()
        let outcome = try child.wait()
        #expect(outcome.status == 128 + (isInterrupt ? 2 : 15), "\(outcome.errors)")
        #expect(outcome.errors.contains("Interrupted"), "\(outcome.errors)")
        #expect(try staged() == [])
        #expect(!FileManager.default.fileExists(atPath: folder.path("copy")))
        try Program.succeed("check", db)
    }
}
