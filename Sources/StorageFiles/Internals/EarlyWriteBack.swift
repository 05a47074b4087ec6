internal import Dispatch
internal import StorageProtocol

/// Has the system bring a long file to the medium while it is being written, so that the sync at its end has little
/// left to do. It is a hint and replaces no sync. Where the system has no such call nothing happens.
final class EarlyWriteBack: Sendable {
    private struct Progress {
        /// The bytes of the file that are on their way, or were asked for.
        var asked: UInt64 = 0
        var isBusy = false
        var failure: StorageError?
    }

    private let file: LockFile
    private let queue = DispatchQueue(label: "settee.writeback")
    private let progress = Locked(Progress())

    /// So many bytes are asked for at a time.
    private static let step: UInt64 = 8 << 20

    init(_ file: LockFile) { self.file = file }

    /// Called when the file has this many bytes. Does not wait for the medium: while it is busy, what was written in
    /// the meantime becomes one longer step.
    func written(_ length: UInt64) {
        let start: UInt64? = progress.withLock { progress in
            guard !progress.isBusy, length - progress.asked >= EarlyWriteBack.step else { return nil }
            defer { progress.asked = length }
            progress.isBusy = true
            return progress.asked
        }
        guard let start else { return }
        queue.async { [self] in begin(start..<length) }
    }

    /// Waits until the system has taken everything that was asked for.
    ///
    /// - Throws: why bytes could not be brought to the medium. A later sync may not report that again.
    func finish() throws(StorageError) {
        queue.sync {}
        if let failure = progress.withLock({ $0.failure }) { throw failure }
    }

    private func begin(_ range: Range<UInt64>) {
        var failure: StorageError?
        do throws(StorageError) {
            try file.descriptor.beginWriteBack(range, file.path)
        } catch {
            failure = error
        }
        progress.withLock { progress in
            progress.isBusy = false
            progress.failure = progress.failure ?? failure
        }
    }
}
