import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// One system call fails while a database is written anew, or its keys are. It is there afterwards as it was or as it
/// is to be, whole, and nothing of the other is left.
@Suite(
    "System calls that fail in a conversion",
    .serialized,
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct FailedConversionTests {
    @Test(arguments: ConversionCase.migrations + ConversionCase.keyChanges)
    func theOldOrTheNewIsThere(_ conversion: ConversionCase) throws {
        let folder = try Folder()
        let original = folder.path("original")
        let digest = try conversion.fill(original)
        let command = try conversion.traced(in: folder)
        var failures = 0
        try command.failEachCall(of: original, short: 4) { db, outcome, note in
            let states = conversion.states(db)
            try #require(!states.isEmpty, note)
            // Who is told that it is done finds it so, and who is told that it is not may try again.
            if outcome.status == 0 { #expect(states == [true], note) }
            let isDone = states[0]
            failures += 1
            if !isDone, failures.isMultiple(of: 2) {
                let again = try Child(command.arguments(db), input: [], environment: [:]).wait()
                #expect(again.status == 0, "\(note): \(again.errors)")
                return try conversion.expectWhole(db, isDone: true, digest, note)
            }
            try conversion.expectWhole(db, isDone: isDone, digest, note)
        }
    }
}
