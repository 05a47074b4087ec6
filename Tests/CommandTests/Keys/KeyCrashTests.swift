import Foundation
import Settee
import SetteeProgramSupport
import Testing

/// `settee rekey` is killed at each of its system calls that touch files. Afterwards either the old key or the new one
/// opens an intact database, never both.
@Suite(
    "Kills at the system calls of a change of keys",
    .serialized,
    .enabled(if: TracedCall.strace != nil, "strace is not installed: `apt-get install strace`")
)
struct KeyCrashTests {
    @Test(arguments: ConversionCase.keyChanges)
    func aKillLeavesOneKey(_ conversion: ConversionCase) throws {
        let folder = try Folder()
        let original = folder.path("original")
        let digest = try conversion.fill(original)
        let command = try conversion.traced(in: folder)
        var found: Set<Bool> = []
        try command.killAtEachCall(of: original, every: conversion.isInstant ? 5 : 19) { db, note in
            // First a read-only opening finds out which key it is, and changes nothing.
            let states = conversion.states(db)
            found.formUnion(states)
            try #require(!states.isEmpty, note)
            let isDone = states[0]
            try conversion.expectWhole(db, isDone: isDone, digest, note)
        }
        #expect(found == [false, true], "both have been there")
    }
}
