import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// One system call fails while a database or its keys are rewritten. Afterwards the database is intact, either as it
/// was or as it is to be, and nothing of the other state is left.
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
            // If the command reports success, it is done; if it reports failure, it can be repeated.
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
