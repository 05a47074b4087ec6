import Dispatch
import Foundation
import Settee
import Synchronization
import Testing

/// Cancelled tasks leave nothing half done: what has not begun does not begin, and the call ends at once.
@Suite struct CancelledTaskTests {
    /// Holds the write transaction of a database until it is told to let go.
    private final class Holder: Sendable {
        private let held = Gate()
        private let over = Gate()
        private let work: Background

        init(_ database: Database) {
            let (held, over) = (self.held, self.over)
            work = Background {
                try database.inTransaction {
                    held.open()
                    over.wait()
                }
            }
            held.wait()
        }

        func letGo() throws {
            over.open()
            try work.join()
        }
    }

    /// A stream of pieces ended where its task was cancelled, and 8 of 100 bytes were saved as the whole.
    @Test(arguments: Storage.all) func aCancelledUploadIsNotSaved(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            let (pieces, source) = AsyncStream<[UInt8]>.makeStream()
            let (taken, took) = AsyncStream<Void>.makeStream()
            let upload = Task {
                try await database.async.setAttachment(
                    "a",
                    named: "x",
                    pieces: pieces.map { piece in
                        took.yield()
                        return piece
                    }
                )
            }
            source.yield([UInt8](repeating: 1, count: 8))
            for await _ in taken { break }
            upload.cancel()
            await #expect(throws: CancellationError.self) { try await upload.value }
            #expect(try database["a"].revision() == nil)
            #expect(try database.attachmentSpace().contents == 0)
            let staging = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await database.async.stageAttachment(pieces: pieces)
            }
            await #expect(throws: CancellationError.self) { try await staging.value }
        }
    }

    @Test(arguments: Storage.all) func aWriteThatWaitsDoesNothing(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            try database["there"].put(["n": 1])
            let holder = Holder(database)
            let ran = Atomic(0)
            let writes: [@Sendable () async throws -> Void] = [
                { try await database.async.put("a", [:]) },
                { _ = try await database.async.update("there") { $0["n"] = 2 } },
                { try await database.async.delete("there") },
                { try await database.async.purge("there") },
                { try await database.async.forceInsert("b", [:], history: [RevisionID("1-x")]) },
                { try await database.async.setExpiration(of: "there", Date()) },
                { try await database.async.inTransaction { _ in _ = ran.add(1, ordering: .relaxed) } },
            ]
            let tasks = writes.map { write in Task { try await write() } }
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            try holder.letGo()
            // Whatever still was to come has come before this.
            try await database.async.put("last", [:])
            #expect(try database.allDocuments().ids() == ["last", "there"])
            #expect(try database["there"].read().id.generation == 1)
            #expect(try database["there"].expiration == nil)
            let count = ran.load(ordering: .relaxed)
            #expect(count == 0)
        }
    }

    @Test(arguments: Storage.all) func whatHasBegunGoesOn(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let goOn = Gate()
            let task = Task {
                try await database.async.inTransaction { database in
                    begin.yield()
                    goOn.wait()
                    return try database["a"].put([:]).id
                }
            }
            for await _ in begun { break }
            task.cancel()
            goOn.open()
            let saved = try await task.value
            #expect(try database["a"].read().id == saved)
        }
    }

    @Test(arguments: Storage.all) func nothingBeginsInACancelledTask(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            let copy = bed.folder.url.appending(path: "copy")
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                await #expect(throws: CancellationError.self) { try await database.async.put("a", [:]) }
                await #expect(throws: CancellationError.self) { try await database.async.revision(of: "a") }
                await #expect(throws: CancellationError.self) { try await database.async.copy(to: copy) }
                await #expect(throws: CancellationError.self) { try await database.async.compact() }
            }
            await task.value
            #expect(try database.lastSequence == 0)
            #expect(!FileManager.default.fileExists(atPath: copy.path))
        }
    }

    /// It waited for the index to be brought up to date, however long another writer took.
    @Test(arguments: Storage.all) func aQueryEndsAtOnce(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            let view = database.view("all")
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let goOn = Gate()
            try view.setMap(version: "1") { document, emit in
                begin.yield()
                goOn.wait()
                emit(document["n"])
            }
            try database["a"].put(["n": 1])
            let task = Task { try await view.query().runAsync() }
            for await _ in begun { break }
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let time = ContinuousClock.now - start
            #expect(time < .milliseconds(100) || ProcessInfo.processInfo.environment["SETTEE_STRESS"] == nil)
            // It ended while the map function was still at work.
            goOn.open()
            #expect(try view.query().run().count == 1)
        }
    }
}
