internal import Dispatch
internal import SetteeEngine
internal import StorageProtocol

/// Writes beside those who map: one after another, on a thread of its own. Who adds waits while much is left to do.
final class BulkLoadQueue: Sendable {
    private let queue = DispatchQueue(label: "settee.views.filler")
    private let room = DispatchSemaphore(value: BulkLoadQueue.mostWaiting)
    private let failure = Locked<StorageError?>(nil)

    private static let mostWaiting = 4

    /// Nothing is done after the first failure.
    func add(_ work: @escaping @Sendable () throws(StorageError) -> Void) {
        room.wait()
        queue.async { [self] in
            defer { room.signal() }
            if failure.withLock({ $0 != nil }) { return }
            do throws(StorageError) { try work() } catch { failure.withLock { $0 = error } }
        }
    }

    /// Waits until all is done.
    ///
    /// - Throws: the first failure.
    func finish() throws(StorageError) {
        queue.sync {}
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
