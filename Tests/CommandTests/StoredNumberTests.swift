import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// Any number in a store may be damaged, up to the highest possible: every command then does its work or says what is
/// wrong, and none crashes or hangs.
@Suite("Stored numbers of any size", .enabled(if: RawStore.isThere, "needs mdb_dump, mdb_load and sqlite3"))
struct StoredNumberTests {
    private static let isStress = ProcessInfo.processInfo.environment["SETTEE_STRESS"] != nil
    private static let numbers: [UInt64] =
        isStress
        ? [0, 1, 1 << 31, 1 << 32, 1 << 53, 1 << 62, 1 << 63 - 1, 1 << 63, .max] : [0, 1 << 53, 1 << 63 - 1, .max]

    /// All numbers in the long form; otherwise two of them, different ones for each place.
    private func numbers(_ row: Int) -> [UInt64] {
        Self.isStress ? Self.numbers : [Self.numbers[row % 2], Self.numbers[2 + row / 2 % 2]]
    }

    private static let commands: [[String]] = [
        ["check", "db"], ["get", "db", "d1"], ["ls", "db"], ["changes", "db"], ["info", "db"],
        ["view", "query", "db", "sums"], ["put", "db", "new", "{\"n\":1}"], ["attach", "db", "d2", "b.bin", "content"],
        ["view", "define", "db", "later", "--key", "/n"], ["view", "query", "db", "later"], ["purge", "db", "d3"],
        ["expire", "db", "d4", "--in", "1000"], ["copy", "db", "twin"], ["compact", "db"], ["check", "db"],
    ]

    /// - Returns: a folder with a database `db`.
    private func database(_ type: String) throws -> Folder {
        let folder = try Folder()
        let documents = (0..<40).map { "{\"_id\":\"d\($0)\",\"n\":\($0)}" }
        let db = try folder.database(type: type, documents: documents.joined(separator: "\n"))
        try Data(repeating: 7, count: 9_000).write(to: folder.url("content"))
        try Program.succeed("attach", db, "d0", "a.bin", folder.path("content"))
        try Program.succeed("view", "define", db, "sums", "--key", "/n", "--value", "/n", "--reduce", "_stats")
        try Program.succeed("view", "query", db, "sums")
        try Program.succeed("purge", db, "d9")
        return folder
    }

    private func use(_ folder: Folder, _ note: String) throws -> [Program.Outcome] {
        try Self.commands.map { command in
            let arguments = command.map { ["db", "content", "twin"].contains($0) ? folder.path($0) : $0 }
            let begin = ContinuousClock.now
            let outcome = try Child(arguments, input: []).wait()
            #expect(0...1 ~= outcome.status, "\(note): \(command) ended with \(outcome.status): \(outcome.errors)")
            #expect(outcome.output.count < 100_000, "\(note): \(command)")
            #expect(.now - begin < .seconds(60), "\(note): \(command)")
            if outcome.status == 1, command[0] != "check" {
                let isClear = ["(591 corrupt)", "(404 notFound)", "(409 conflict)"].contains {
                    outcome.errors.contains($0)
                }
                #expect(isClear, "\(note): \(command): \(outcome.errors)")
            }
            return outcome
        }
    }

    /// The five counters, the numbers of an index and of a content, one after another.
    @Test func ofLMDB() throws {
        let original = try database("lmdb")
        let store = try RawStore(lmdb: original.path("db"))
        let places: [(table: String, position: Int, name: String)] =
            (0..<5).map { ("meta", $0, "counter \($0)") } + (0..<2).map { ("blobs", $0, "content \($0)") }
            + [("indexes", 0, "index number")]
        for (row, place) in places.enumerated() {
            for number in numbers(row) {
                let folder = try Folder()
                try FileManager.default.copyItem(atPath: original.path("db"), toPath: folder.path("db"))
                try FileManager.default.copyItem(atPath: original.path("content"), toPath: folder.path("content"))
                guard try store.write(number, at: place.position, of: place.table, into: folder.path("db")) else {
                    continue
                }
                let note = "\(place.name) = \(number)"
                let outcomes = try use(folder, note)
                // Change counters, node numbers and index numbers may be any that are high enough.
                let isKnown = !["counter 0", "counter 3", "counter 4"].contains(place.name) || number > 1 << 63 - 1
                if isKnown && place.name != "counter 1" {
                    #expect(outcomes.first?.status == 1, "\(note): \(outcomes.first?.text ?? "")")
                }
            }
        }
    }

    @Test func ofSQLite() throws {
        let original = try database("sqlite")
        let columns = [
            "counters.extra", "counters.sequence", "counters.live", "documents.sequence", "blob_references.count",
            "blob_references.length", "indexes.last_sequence", "indexes.number", "expirations.time",
        ]
        let present = try RawStore.columns(of: original.path("db")).filter { Self.isStress || columns.contains($0) }
        for (row, column) in present.enumerated() {
            for number in numbers(row).map({ Int64(bitPattern: $0) }) {
                let folder = try Folder()
                try FileManager.default.copyItem(atPath: original.path("db"), toPath: folder.path("db"))
                try FileManager.default.copyItem(atPath: original.path("content"), toPath: folder.path("content"))
                guard try RawStore.write(number, to: column, of: folder.path("db")) else { continue }
                _ = try use(folder, "\(column) = \(number)")
            }
        }
    }

    /// The purge was the last change, so the count of live documents is in its row.
    @Test func aCountThatIsNotThatOfTheDocumentsIsNamed() throws {
        let folder = try database("sqlite")
        #expect(try RawStore.write(7, to: "purges.live", of: folder.path("db")))
        let outcome = try Child(["check", folder.path("db")], input: []).wait()
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("count is 7, but 39 documents are live"), "\(outcome.text)")
    }
}
