import Foundation
import SetteeProgramSupport
import Testing

/// A copy of an LMDB database waited, without heeding Ctrl-C, until a process that was stopped inside a write went on.
@Suite(
    "A copy does not wait for a writer that was stopped",
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct StoppedWriterTests {
    @Test(arguments: ["sqlite", "lmdb"])
    func copy(_ type: String) throws {
        let folder = try Folder()
        let documents = (0..<300).map { #"{"_id":"d\#($0)"}"# }
        let db = try folder.database(type: type, documents: documents.joined(separator: "\n"))
        let file = db + "/data-000001/" + (type == "lmdb" ? "data.mdb" : "db.sqlite3-wal")
        let calls = "inject=pwrite64,pwritev,writev:delay_enter=120000000"
        let slow = ["-D", "-f", "-o", folder.path("trace"), "-P", file, "-e", calls]
        let strace = URL(filePath: try #require(TracedCall.strace))
        let arguments = try slow + [Program.required().path, "put", db, "new", "{}"]
        let writer = try Child(program: strace, arguments, input: [], environment: [:])
        defer {
            writer.kill()
            _ = try? writer.wait()
        }
        let end = Date(timeIntervalSinceNow: 60)
        while writer.isRunning, Date() < end, !isHeld(db + "/writer") { Thread.sleep(forTimeInterval: 0.01) }
        // From the lock to the first call of the commit.
        Thread.sleep(forTimeInterval: 1)
        try #require(isHeld(db + "/writer"))
        let copy = try Child(["copy", db, folder.path("copy")], input: [], environment: [:])
        let limit = Date(timeIntervalSinceNow: 40)
        while copy.isRunning, Date() < limit { Thread.sleep(forTimeInterval: 0.01) }
        #expect(!copy.isRunning)
        if copy.isRunning { copy.kill() }
        #expect(try copy.wait().status == 0)
        #expect(isHeld(db + "/writer"), "the writer is still at it")
        #expect(try Program.run("ls", folder.path("copy")).expectSuccess().lines.count == 300)
    }

    private func isHeld(_ lock: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: lock) else { return false }
        defer { try? file.close() }
        guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 else { return true }
        _ = flock(file.fileDescriptor, LOCK_UN)
        return false
    }
}
