import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// Updates of indexes whose tasks are cancelled.
@Suite struct UpdateCancellationTests {
    /// What was done is kept, and the next update continues there.
    @Test(arguments: Storage.all) func itEndsAfterAPartOfTheDocuments(_ type: StorageType) async throws {
        let bed = try TestDatabase(type)
        let database = bed.database
        let count = 40_000
        try database.put((0..<count).map { (id: "\($0)", body: ["n": JSONValue($0)]) })
        let present = CancelledTask()
        let mapped = MapCounter()
        try database.view("view").setMap(version: "1") { document, emit in
            mapped.note(document)
            if document.sequence == 1000 { present.cancel() }
            emit(document["n"])
        }
        let task = Task { try await database.async.updateIndex(of: "view") }
        present.set(task)
        await #expect(throws: CancellationError.self) { try await task.value }
        let first = mapped.take().count
        #expect(first < count)
        #expect(try database.view("view").query().run().count == count)
        #expect(mapped.take().count == count - first)
        try database.close()
    }
}

/// A task that is cancelled by its own work.
private final class CancelledTask: Sendable {
    private let task = Locked<Task<Void, any Error>?>(nil)

    func set(_ task: Task<Void, any Error>) { self.task.withLock { $0 = task } }

    /// Waits until the task is known.
    func cancel() {
        while true {
            if let task = task.withLock({ $0 }) { return task.cancel() }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}
