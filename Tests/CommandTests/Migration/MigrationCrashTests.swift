import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee migrate` is killed at each of its system calls that touch files. Afterwards the old database or the new one
/// is there, intact. A second run completes the first; and once the database has changed, what the first left is
/// removed.
@Suite(
    "Kills at the system calls of a migration",
    .serialized,
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct MigrationCrashTests {
    @Test(arguments: ConversionCase.migrations)
    func aKillLeavesTheOldOrTheNew(_ conversion: ConversionCase) throws {
        let folder = try Folder()
        let original = folder.path("original")
        let digest = try conversion.fill(original)
        let command = try conversion.traced(in: folder)
        var found: Set<Bool> = []
        var resumed = 0
        var kills = 0
        // RocksDB makes more calls than the others together.
        let step = [conversion.source, conversion.target].contains("rocksdb") ? 48 : 9
        try command.killAtEachCall(of: original, every: step) { db, note in
            let states = conversion.states(db)
            found.formUnion(states)
            try #require(!states.isEmpty, note)
            let isDone = states[0]
            // After every other kill, and after the first that leaves something to go on with.
            let canGoOn = FileManager.default.fileExists(atPath: db + "/.settee-conversion")
            kills += 1
            guard !isDone, kills.isMultiple(of: 2) || canGoOn && resumed == 0 else {
                return try conversion.expectWhole(db, isDone: isDone, digest, note)
            }
            let again = try Child(command.arguments(db) + ["--json"], input: [], environment: [:]).wait()
            if try again.expectSuccess().object()["resumed"]?.boolValue == true { resumed += 1 }
            try conversion.expectNothingLeft(db, note)
            try conversion.expectWhole(db, isDone: true, digest, note)
        }
        #expect(found == [false, true], "both have been there")
        let decrypts = conversion.command.contains("--decrypt")
        #expect(decrypts ? resumed == 0 : resumed > 0, "a second one went on, unless plain text was left")
    }
}
