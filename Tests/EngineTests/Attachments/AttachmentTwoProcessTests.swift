import Foundation
import Settee
import SetteeProgramSupport
import SetteeTestSupport
import Testing

/// Collection by one process, and what another one still needs.
@Suite struct AttachmentTwoProcessTests {
    private static let content = Array("content".utf8)

    @Test func aSnapshotHereKeepsItsContentsFromACollectorThere() throws {
        try withDatabase(.sqlite) { (bed) throws in
            let database = bed.database
            let path = try #require(database.path)
            try database["a"].setAttachment(named: "x", content: Self.content)
            try database.read { snapshot in
                // An engine may choose its state at the first read.
                #expect(try snapshot.documentCount == 1)
                try settee("purge", path, "a")
                #expect(try collected(path) == 1)
                #expect(try collected(path) == 0)
                let revision = try #require(try snapshot.revision(of: "a"))
                let read = try revision.attachment(named: "x")?.content()
                #expect(read == Self.content)
            }
            #expect(try trashed(path) == 1)
            try settee("compact", path)
            #expect(try trashed(path) == 0)
            expectError(.notFound) { try database["a"].read() }
        }
    }

    @Test func aWriteThereIsSafeFromACollectorHere() throws {
        try withDatabase(.sqlite) { (bed) throws in
            let database = bed.database
            let path = try #require(database.path)
            let writer = try Conversation(["attach", path, "a", "x", "-", "--json"])
            try writer.send(String(repeating: "x", count: 300_000))
            // The first part is written once its staging file is there.
            while try FileManager.default.contentsOfDirectory(atPath: path + "/blobs-000001").isEmpty {}
            for _ in 0..<3 { #expect(try database.compact().blobsRemoved == 0) }
            try writer.send("end")
            #expect(try writer.finish() == 0)
            let attachment = try #require(try database["a"].read().attachment(named: "x"))
            let read = try attachment.content()
            #expect(read.count == 300_003)
            #expect(read.suffix(4) == Array("xend".utf8)[...])
        }
    }

    @Test func contentStagedHereIsSafeFromACollectorThere() throws {
        try withDatabase(.sqlite) { (bed) throws in
            let path = try #require(bed.database.path)
            let staged = try bed.database.stageAttachment(.bytes(Self.content))
            #expect(try collected(path) == 0)
            try bed.database["a"].setAttachment(named: "x", content: .staged(staged))
            #expect(try collected(path) == 0)
            let read = try bed.database["a"].read().attachment(named: "x")?.content()
            #expect(read == Self.content)
        }
    }

    @Test func whatIsReferredToAgainHereComesBackFromTheTrash() throws {
        try withDatabase(.sqlite) { (bed) throws in
            let database = bed.database
            let path = try #require(database.path)
            try database["a"].setAttachment(named: "x", content: Self.content)
            let staged = try database.stageAttachment(.bytes(Self.content))
            try database.read { _ in
                try settee("purge", path, "a")
                #expect(try collected(path) == 1)
            }
            try database["b"].setAttachment(named: "x", content: .staged(staged))
            try settee("compact", path)
            let read = try database["b"].read().attachment(named: "x")?.content()
            #expect(read == Self.content)
        }
    }

    private func settee(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let outcome = try Child(arguments, input: []).wait()
        #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    }

    /// How many contents a compaction in another process collected.
    private func collected(_ path: String) throws -> Int64? {
        let outcome = try Child(["compact", path, "--json"], input: []).wait()
        return try JSONValue(parsing: outcome.text)["blobsRemoved"]?.intValue
    }

    private func trashed(_ path: String) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: path + "/blobs-000001/trash").count
    }
}
