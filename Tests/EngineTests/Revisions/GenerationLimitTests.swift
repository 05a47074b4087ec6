import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

@testable import SetteeEngine

/// A revision of generation 2^63 - 1 made a document that could only be purged: nothing can follow it. Every revision
/// that is accepted from elsewhere can be followed.
@Suite struct GenerationLimitTests {
    private static let highest = RevisionID.maximumForeignGeneration

    @Test(arguments: Storage.all) func whatCannotBeFollowedIsRefused(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            for generation in [Self.highest + 1, UInt64(Int64.max) - 1, UInt64(Int64.max)] {
                let id = try RevisionID("\(generation)-last")
                expectError(.badRequest) { try document.forceInsert([:], history: [id]) }
                expectError(.badRequest) { try document.forceInsert(json: #"{"_rev":"\#(id)"}"#) }
                expectError(.badRequest) {
                    let history = #"{"start":\#(generation),"ids":["last"]}"#
                    try document.forceInsert(json: #"{"_rev":"\#(id)","_revisions":\#(history)}"#)
                }
            }
            #expect(try document.revision() == nil)
            #expect(try bed.database.lastSequence == 0)
        }
    }

    @Test(arguments: Storage.all) func anImportRefusesThemOneByOne(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let text = """
                {"_id":"a","_rev":"9223372036854775807-a"}
                {"_id":"b","_rev":"\(Self.highest)-b"}
                {"_id":"c","_rev":"9223372036854775806-c","_revisions":{"start":9223372036854775806,"ids":["c","d"]}}
                """
            var refused: [String?] = []
            let chunks = Locked([bytes(text)])
            let outcome = try BulkImporter(into: bed.database, options: ImportOptions()).run(
                chunk: { chunks.withLock { $0.popLast() } },
                failure: { failure in
                    refused.append(failure.id)
                    #expect(failure.error.code == .badRequest)
                },
                committed: { _, _ in }
            )
            #expect(outcome.documents == 1)
            #expect(refused == ["a", "c"])
            try bed.database["b"].update { $0["n"] = 1 }
        }
    }

    @Test(arguments: Storage.all) func theHighestThatIsTakenCanBeFollowed(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let document = bed.database["x"]
            for suffix in ["a", "b", "c"] {
                try document.forceInsert(["s": .string(suffix)], history: [RevisionID("\(Self.highest)-\(suffix)")])
            }
            try document.resolveConflict(keeping: RevisionID("\(Self.highest)-b"))
            #expect(try document.isConflicted == false)
            try document.update { $0["n"] = 1 }
            #expect(try document.read().id.generation == Self.highest + 1)
            try document.delete()
            try document.update { $0["n"] = 2 }
            #expect(try document.read().id.generation == Self.highest + 3)
            try document.deleteAllBranches()
            #expect(try !document.exists)
        }
    }
}
