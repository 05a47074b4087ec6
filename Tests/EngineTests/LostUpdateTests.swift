import Settee
import SetteeTestSupport
import Synchronization
import Testing

/// Eight threads that change the same ten documents lose nothing, in whichever way they retry.
@Suite struct LostUpdateTests {
    private static let threads = 8
    private static let documents = 10
    private static let rounds = 2

    /// Each thread adds 1 to every document in each round, in an order of its own.
    private func run(
        _ type: StorageType,
        _ body: @escaping @Sendable (_ document: Document, _ thread: Int, _ round: Int) throws -> Void
    ) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            try onThreads(LostUpdateTests.threads) { thread in
                for round in 0..<LostUpdateTests.rounds {
                    for number in 0..<LostUpdateTests.documents {
                        let id = "d\((number + thread) % LostUpdateTests.documents)"
                        try body(database[id], thread, round)
                    }
                }
            }
            let each = LostUpdateTests.threads * LostUpdateTests.rounds
            for number in 0..<LostUpdateTests.documents {
                let saved = try database["d\(number)"].read()
                #expect(saved["n"] == JSONValue(each))
                // One line without branches, with one revision for each addition.
                #expect(saved.id.generation == UInt64(each))
                #expect(try database["d\(number)"].leafRevisions().count == 1)
                for thread in 0..<LostUpdateTests.threads {
                    #expect(saved["t\(thread)"] == JSONValue(LostUpdateTests.rounds))
                }
            }
            #expect(try database.lastSequence == UInt64(each * LostUpdateTests.documents))
        }
    }

    private static func add(_ thread: Int, to properties: inout JSONObject) {
        properties["n"] = .int((properties["n"]?.intValue ?? 0) + 1)
        properties["t\(thread)"] = .int((properties["t\(thread)"]?.intValue ?? 0) + 1)
    }

    @Test(arguments: Storage.all) func throughUpdate(_ type: StorageType) throws {
        try run(type) { document, thread, _ in
            try document.update { LostUpdateTests.add(thread, to: &$0) }
        }
    }

    @Test(arguments: Storage.all) func throughUpdateInTransactions(_ type: StorageType) throws {
        try run(type) { document, thread, _ in
            try document.database.inTransaction {
                _ = try document.update { LostUpdateTests.add(thread, to: &$0) }
            }
        }
    }

    @Test(arguments: Storage.all) func throughPutAgainAndAgain(_ type: StorageType) throws {
        try run(type) { document, thread, _ in
            while true {
                let current = try document.revision()
                var properties = try current?.properties ?? [:]
                LostUpdateTests.add(thread, to: &properties)
                do throws(StorageError) {
                    try document.put(properties, parent: current?.id)
                    return
                } catch {
                    guard error.code == .conflict else { throw error }
                }
            }
        }
    }

    @Test(arguments: Storage.all) func throughUnsavedRevisions(_ type: StorageType) throws {
        try run(type) { document, thread, _ in
            while true {
                var revision = try document.newRevision()
                LostUpdateTests.add(thread, to: &revision.properties)
                do throws(StorageError) {
                    try revision.save()
                    return
                } catch {
                    guard error.code == .conflict else { throw error }
                }
            }
        }
    }

    /// With attachments too: each thread has one of its own in every document, and keeps replacing it, while another
    /// thread collects.
    @Test(arguments: Storage.all) func withAttachmentsAndACollector(_ type: StorageType) throws {
        try withDatabase(type) { (bed) throws in
            let database = bed.database
            let isDone = Atomic(false)
            let collector = Background {
                while !isDone.load(ordering: .relaxed) { try database.compact() }
            }
            try onThreads(LostUpdateTests.threads) { thread in
                for round in 0..<2 {
                    for number in 0..<LostUpdateTests.documents {
                        let document = database["d\((number + thread) % LostUpdateTests.documents)"]
                        // Half of the contents are the same everywhere.
                        let content = thread % 2 == 0 ? "round \(round)" : "round \(round) of \(thread)"
                        try document.setAttachment(named: "t\(thread)", content: bytes(content))
                        try document.update { LostUpdateTests.add(thread, to: &$0) }
                    }
                }
            }
            isDone.store(true, ordering: .relaxed)
            try collector.join()
            try database.compact()
            for number in 0..<LostUpdateTests.documents {
                let saved = try database["d\(number)"].read()
                #expect(saved["n"] == JSONValue(2 * LostUpdateTests.threads))
                #expect(saved.id.generation == UInt64(4 * LostUpdateTests.threads))
                #expect(try saved.attachments.count == LostUpdateTests.threads)
                for thread in 0..<LostUpdateTests.threads {
                    let expected = thread % 2 == 0 ? "round 1" : "round 1 of \(thread)"
                    #expect(try saved.attachment(named: "t\(thread)")?.content() == bytes(expected))
                }
            }
            // "round 1", and one of each odd thread.
            #expect(try ExportText(database).end("blobs") == JSONValue(1 + LostUpdateTests.threads / 2))
        }
    }
}
