import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// The program is killed at each of its system calls, or one of them fails, while an old database is imported. The old
/// database is never touched. The new one is there as a whole or not at all, and a second attempt succeeds.
@Suite(
    "Imports that are interrupted",
    .serialized,
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct InterruptedImportTests {
    private let folder: Folder
    private let source: Folder
    private let old: OldFiles
    private let before: [String: String]

    init() throws {
        folder = try Folder()
        source = try Folder()
        old = try OldFiles(source, .net140)
        for number in 1...30 {
            let entry = try old.content([UInt8](repeating: UInt8(number), count: number * 2_000))
            try old.document(number, "d\(number)")
            let sequence = Int64(2 * number)
            try old.revision(sequence - 1, of: number, "1-x", current: false, nil)
            try old.revision(
                sequence,
                of: number,
                "2-x",
                parent: sequence - 1,
                #"{"n":\#(number),"_attachments":{"a":\#(entry)}}"#
            )
        }
        try old.local("_local/l", "1-local", "{}")
        try old.finish()
        before = try states(of: source.path)
    }

    @Test(arguments: ["sqlite", "lmdb"]) func killedImports(_ type: String) throws {
        try traced(type).killAtEachCall(of: nil, every: 127) { db, note in try expectAllOrNothing(db, type, note) }
    }

    @Test(arguments: ["sqlite", "lmdb"]) func failedImports(_ type: String) throws {
        try traced(type).failEachCall(of: nil, short: 5) { db, outcome, note in
            // Nothing was lost, so it reports success.
            if outcome.status == 0 { #expect(FileManager.default.fileExists(atPath: db), note) }
            try expectAllOrNothing(db, type, note)
        }
    }

    /// A call that failed while a content was written to the new database was mistaken for damage of the old file: the
    /// new database was made without the attachment.
    @Test(arguments: ["sqlite", "lmdb"]) func failuresWhileAContentIsBrought(_ type: String) throws {
        try traced(type).failEachCall(of: nil, named: TracedCall.changing + ",pread64", by: ["EIO"]) { calls in
            let calls = try callsOfOneContent(calls)
            return stride(from: 0, to: calls.count, by: TracedCommand.isStress ? 1 : 3).map { calls[$0] }
        } verify: { db, outcome, note in
            try expectFailed(db, outcome, type, note)
        }
    }

    /// The same for reads: the rows of the private copy are not damaged just because reading them fails once.
    @Test(arguments: ["sqlite", "lmdb"]) func failedReads(_ type: String) throws {
        try traced(type).failEachCall(of: nil, named: TracedCall.changing + ",pread64", by: ["EIO"]) { calls in
            let reads = calls.filter { $0.call.name == "pread64" }
            let step = TracedCommand.isStress ? 1 : max(1, reads.count / 6)
            return stride(from: 0, to: reads.count, by: step).map { reads[$0] }
        } verify: { db, outcome, note in
            try expectFailed(db, outcome, type, note)
        }
    }

    /// An interrupted import left its folders beside, until somebody opened a database there.
    @Test(arguments: [true, false]) func aSignalLeavesNothing(isInterrupt: Bool) throws {
        // Each write takes a while, and the program is the process that is started.
        let slow = ["-D", "-f", "-o", source.path("trace"), "-e", "inject=write,pwrite64:delay_enter=5000"]
        let strace = URL(filePath: try #require(TracedCall.strace))
        let arguments = try slow + [Program.required().path, "import", folder.path("db"), old.path]
        let child = try Child(program: strace, arguments, input: [], environment: [:])
        let end = Date(timeIntervalSinceNow: 60)
        // The folder of the copy, and then that of the new database.
        while child.isRunning, Date() < end, try folder.entries().count < 2 { Thread.sleep(forTimeInterval: 0.002) }
        isInterrupt ? child.interrupt() : child.terminate()
        let outcome = try child.wait()
        #expect(outcome.status == 128 + (isInterrupt ? 2 : 15), "\(outcome.errors)")
        #expect(outcome.errors.contains("Interrupted"), "\(outcome.errors)")
        #expect(try folder.entries() == [])
    }

    @Test func killedReplacements() throws {
        var found: Set<Bool> = []
        try replacement().killAtEachCall(of: manager(), every: 127) { db, note in
            found.insert(try expectOldOrNew(db, note))
        }
        #expect(found == [false, true], "both have been there")
    }

    @Test func failedReplacements() throws {
        try replacement().failEachCall(of: manager(), short: 5) { db, outcome, note in
            let isDone = try expectOldOrNew(db, note)
            if outcome.status == 0 { #expect(isDone, note) }
        }
    }

    // MARK: - Support

    private func traced(_ type: String) throws -> TracedCommand {
        try TracedCommand(folder: folder) { ["import", $0, old.path, "--storage-type", type] }
    }

    private func replacement() throws -> TracedCommand {
        try TracedCommand(Program.named("SetteeReplaceProbe"), folder: folder) { [$0, old.path] }
    }

    /// A manager's directory with a database that is to be replaced.
    private func manager() throws -> String {
        let manager = try Manager(directory: folder.url("original"))
        let present = try manager.database(named: "app")
        try present["mine"].put(["a": 1])
        try manager.close()
        return folder.path("original")
    }

    /// All calls from the opening of one content's file to that of the next one's.
    private func callsOfOneContent(
        _ calls: [(call: TracedCall, text: String)]
    ) throws -> [(call: TracedCall, text: String)] {
        let openings = calls.indices.filter { calls[$0].call.name == "openat" && calls[$0].text.contains(".blob\"") }
        let middle = openings.count / 2
        try #require(middle > 1)
        return Array(calls[openings[middle]..<openings[middle + 1]])
    }

    /// A failure on this machine ends the import. The new database may only be there if the failure made no difference.
    private func expectFailed(
        _ db: String,
        _ outcome: Program.Outcome,
        _ type: String,
        _ note: Comment
    ) throws {
        #expect(FileManager.default.fileExists(atPath: db) == (outcome.status == 0), note)
        try expectAllOrNothing(db, type, note)
    }

    private func expectAllOrNothing(_ db: String, _ type: String, _ note: Comment) throws {
        #expect(try states(of: source.path) == before, note)
        if !FileManager.default.fileExists(atPath: db) {
            let again = try Program.run("import", db, old.path, "--storage-type", type)
            #expect(again.status == 0, "\(note): \(again.errors)")
        }
        let database = try Database.open(at: URL(filePath: db), options: DatabaseOptions(create: false))
        try expectContent(database, note)
        try database.close()
        // A database that was being built is left beside the path, and removed by the next import at the latest.
        let names = try folder.entries().filter { $0 != "db.trace" }
        #expect(names == ["db"], "\(note): \(names)")
    }

    private func expectOldOrNew(_ db: String, _ note: Comment) throws -> Bool {
        #expect(try states(of: source.path) == before, note)
        let manager = try Manager(directory: URL(filePath: db))
        defer { try? manager.close() }
        let database = try manager.database(named: "app", options: DatabaseOptions(create: false))
        let isDone = try database["mine"].currentRevision == nil
        if isDone { try expectContent(database, note) } else { #expect(try database.documentCount == 1, note) }
        #expect(try database.check().map(\.description) == [], note)
        try database.close()
        try manager.replaceDatabase(named: "app", from: old.url)
        let new = try manager.database(named: "app", options: DatabaseOptions(create: false))
        try expectContent(new, note)
        try new.close()
        let names = try folder.entries("db")
        #expect(names == ["app.settee"], "\(note): \(names)")
        return isDone
    }

    private func expectContent(_ database: Database, _ note: Comment) throws {
        #expect(try database.documentCount == 30, note)
        #expect(try database["d7"].read().id.string == "2-x", note)
        let content = try database["d7"].read().attachment(named: "a")?.content()
        let isWhole = content == [UInt8](repeating: 7, count: 14_000)
        #expect(isWhole, note)
        #expect(try database.check().map(\.description) == [], note)
    }
}
