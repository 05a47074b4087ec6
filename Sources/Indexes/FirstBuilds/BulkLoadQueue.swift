internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol

/// Runs writes one after another on a thread of its own, beside the threads that map. `add` waits if too many are
/// queued.
final class BulkLoadQueue: Sendable {
    private let queue = DispatchQueue(label: "settee.indexes.filler")
    private let room = DispatchSemaphore(value: BulkLoadQueue.mostWaiting)
    private let failure = Locked<StorageError?>(nil)

    private static let mostWaiting = 4

    /// Queues a write. After the first failure, later writes are skipped.
    func add(_ work: @escaping @Sendable () throws(StorageError) -> Void) {
        room.wait()
        queue.async { [self] in
            defer { room.signal() }
            if failure.withLock({ $0 != nil }) { return }
            do throws(StorageError) { try work() } catch { failure.withLock { $0 = error } }
        }
    }

    /// Waits until all writes are done.
    ///
    /// - Throws: the first failure.
    func finish() throws(StorageError) {
        queue.sync {}
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
