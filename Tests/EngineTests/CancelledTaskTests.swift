import Dispatch
import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
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

    /// A stream of pieces ended when its task was cancelled, and 8 of 100 bytes were saved as the whole.
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
            let bytes = [UInt8](repeating: 7, count: 5000)
            let file = bed.folder.url.appending(path: "content")
            try Data(bytes).write(to: file)
            try database["there"].setAttachment(named: "old", content: .bytes([1]))
            let staged = try database.stageAttachment(.bytes([2]))
            let holder = Holder(database)
            let ran = Atomic(0)
            let writes: [@Sendable () async throws -> Void] = [
                { try await database.async.put("a", [:]) },
                { _ = try await database.async.update("there") { $0["n"] = 2 } },
                { try await database.async.delete("there") },
                { try await database.async.purge("there") },
                { try await database.async.forceInsert("b", [:], history: [RevisionID("1-x")]) },
                { try await database.async.setExpiration(of: "there", Date()) },
                { try await database.async.setAttachment("c", named: "x", content: bytes) },
                { try await database.async.setAttachment("d", named: "x", file: file) },
                { try await database.async.setAttachment("e", named: "x", staged: staged) },
                { try await database.async.removeAttachment("there", named: "old") },
                { try await database.async.inTransaction { _ in _ = ran.add(1, ordering: .relaxed) } },
            ]
            let tasks = writes.map { write in Task { try await write() } }
            for task in tasks { task.cancel() }
            for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
            try holder.letGo()
            // Anything that was still to come has run before this.
            try await database.async.put("last", [:])
            #expect(try database.allDocuments().ids() == ["last", "there"])
            #expect(try database["there"].read().id.generation == 2)
            #expect(try database["there"].read().attachmentNames == ["old"])
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

    /// Opening, closing and deleting used to continue in cancelled tasks.
    @Test(arguments: Storage.all) func nothingIsOpenedNorAttachedInACancelledTask(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let (manager, database) = (bed.manager, bed.database)
            try database["a"].setAttachment(named: "x", content: .bytes([1, 2]))
            let staged = try database.stageAttachment(.bytes([3]))
            let content = bed.folder.url.appending(path: "content")
            try Data([4, 5]).write(to: content)
            let elsewhere = bed.folder.url.appending(path: "elsewhere")
            let source = database.url ?? elsewhere
            let (names, sequence) = (try manager.allDatabaseNames, try database.lastSequence)
            let space = try database.attachmentSpace().contents
            let calls: [@Sendable () async throws -> Void] = [
                { _ = try await manager.async.database(named: "new") },
                { _ = try await manager.async.existingDatabase(named: "test") },
                { _ = try await manager.async.allDatabaseNames },
                { try await manager.async.replaceDatabase(named: "new", from: source) },
                { try await manager.async.deleteDatabase(named: "test") },
                { try await manager.async.close() },
                { _ = try await Database.openAsync(at: elsewhere) },
                { _ = try await database.async.stageAttachment(content: [6]) },
                { _ = try await database.async.stageAttachment(file: content) },
                { try await database.async.setAttachment("b", named: "x", content: [7]) },
                { try await database.async.setAttachment("b", named: "x", file: content) },
                { try await database.async.setAttachment("b", named: "x", staged: staged) },
                { try await database.async.removeAttachment("a", named: "x") },
                { _ = try await database.async.attachment("a", named: "x") },
                { _ = try await database.async.attachmentContent("a", named: "x") },
                { try await database.async.close() },
                { try await database.async.delete() },
            ]
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                for call in calls { await #expect(throws: CancellationError.self) { try await call() } }
            }
            await task.value
            #expect(database.isOpen)
            #expect(try manager.allDatabaseNames == names)
            #expect(!FileManager.default.fileExists(atPath: elsewhere.path))
            #expect(try database.lastSequence == sequence)
            #expect(try database.attachmentSpace().contents == space)
        }
    }

    @Test(arguments: Storage.all) func stagedContentIsWrittenAsynchronously(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = bed.database
            let bytes = [UInt8](repeating: 9, count: 3 << 20)
            let file = bed.folder.url.appending(path: "content")
            try Data(bytes).write(to: file)
            for (id, staged) in [
                ("bytes", try await database.async.stageAttachment(content: bytes)),
                ("file", try await database.async.stageAttachment(file: file)),
            ] {
                #expect(staged.length == UInt64(bytes.count))
                try await database.async.setAttachment(id, named: "x", contentType: "a/b", staged: staged)
                #expect(try await database.async.attachmentContent(id, named: "x") == bytes)
            }
            await expectError(.fileSystem) {
                try await database.async.stageAttachment(file: bed.folder.url.appending(path: "none"))
            }
        }
    }

    /// Rows are read in batches; the current batch is finished after the task has ended, and no further one is begun.
    @Test(arguments: Storage.plain) func aCancelledQueryReadsNoFurtherRows(_ type: StorageType) async throws {
        try await withDatabase(type) { (bed) async throws in
            let database = try bed.manager.database(named: "rows", options: .init(storageType: type))
            try database.inTransaction { for number in 0..<2000 { try database["d\(number)"].put([:]) } }
            let (begun, begin) = AsyncStream<Void>.makeStream()
            let goOn = Gate()
            let seen = Locked(0)
            var query = database.allDocumentsQuery()
            query.postFilter = QueryFilter { _ in
                let count = seen.withLock { count in
                    count += 1
                    return count
                }
                if count == 1 {
                    begin.yield()
                    goOn.wait()
                }
                return true
            }
            let asked = query
            let task = Task { try await asked.runAsync() }
            for await _ in begun { break }
            task.cancel()
            // Ends while the first row is still being processed.
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(seen.withLock { $0 } == 1)
            goOn.open()
            // Waits for the batch that is being read.
            try database.close()
            #expect(seen.withLock { $0 } < 1000)
        }
    }

    /// It used to wait until the index was up to date, however long another writer took.
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
