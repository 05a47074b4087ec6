import Foundation
import Settee
import SetteeTestSupport
import StorageProtocol
import Testing

/// What a listener was told, for a test that waits for it.
final class Told: Sendable {
    private let changes = Locked<[DatabaseChange]>([])
    private let arrival = DispatchSemaphore(value: 0)

    func add(_ change: DatabaseChange) {
        changes.withLock { $0.append(change) }
        arrival.signal()
    }

    var all: [DatabaseChange] { changes.withLock { $0 } }

    /// Waits until `count` changes were told, then gives all.
    func wait(for count: Int, sourceLocation: SourceLocation = #_sourceLocation) -> [DatabaseChange] {
        let limit = DispatchTime.now() + 60
        while true {
            let all = self.all
            if all.count >= count { return all }
            if arrival.wait(timeout: limit) == .timedOut {
                Issue.record("\(all.count) changes were told, not \(count).", sourceLocation: sourceLocation)
                return all
            }
        }
    }

    /// Waits until the change of a document comes, then gives all.
    func wait(forDocument id: String, sourceLocation: SourceLocation = #_sourceLocation) -> [DatabaseChange] {
        let limit = DispatchTime.now() + 60
        while true {
            let all = self.all
            if all.documents.contains(where: { bytes($0.documentID.string) == bytes(id) }) { return all }
            if arrival.wait(timeout: limit) == .timedOut {
                Issue.record("No change of '\(id)' was told.", sourceLocation: sourceLocation)
                return all
            }
        }
    }
}

extension [DatabaseChange] {
    /// The changes of documents.
    var documents: [DocumentChange] {
        compactMap { change in
            guard case .document(let change) = change else { return nil }
            return change
        }
    }

    var sequences: [UInt64] { documents.map(\.sequence) }
    var ids: [String] { documents.map(\.documentID.string) }

    /// Where changes were missed.
    var missed: [UInt64] {
        compactMap { change in
            guard case .missed(let since) = change else { return nil }
            return since
        }
    }
}

extension Database {
    /// A listener that adds to `Told`; it has to be kept.
    func listen(
        following sequence: UInt64? = nil,
        buffer: Int = Database.defaultChangeBuffer
    ) -> (told: Told, listener: ChangeListener) {
        let told = Told()
        return (told, addChangeListener(following: sequence, buffer: buffer) { told.add($0) })
    }
}

/// Both at once, as `#expect` wants them.
func withListener(
    _ database: Database,
    following sequence: UInt64? = nil,
    buffer: Int = Database.defaultChangeBuffer,
    _ body: (Told) throws -> Void
) throws {
    let (told, listener) = database.listen(following: sequence, buffer: buffer)
    defer { listener.remove() }
    try body(told)
}

/// Takes `count` elements of a sequence, or all that come before its end.
func take(_ count: Int, from stream: ChangeStream) async -> [DatabaseChange] {
    var changes: [DatabaseChange] = []
    for await change in stream {
        changes.append(change)
        if changes.count == count { break }
    }
    return changes
}

/// Waits on a thread that tasks do not need.
func withoutBlocking<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: body()) }.start()
    }
}
