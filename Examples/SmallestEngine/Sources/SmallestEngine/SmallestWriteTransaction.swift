internal import StorageEngineKit
import StorageProtocol

/// The write transaction: a copy of the content that nobody else sees until `commit`. `OrderedMapWriter` makes every
/// writer of the contract from `setValue`.
final class SmallestWriteTransaction: SmallestReadTransaction, WriteTransaction, OrderedMapWriter {
    private var hasWritten = false
    var isBeingBuilt: Bool { engine.isBeingBuilt }

    func commit() throws(StorageError) {
        do throws(StorageError) {
            try transactionGuard.checkWrite()
        } catch {
            // A call that must not be leaves the transaction as it is; one that is doomed is over.
            if error.code != .callback { rollback() }
            throw error
        }
        defer { rollback() }
        guard hasWritten else { return }
        try countChange()
        try engine.commit(content)
    }

    func rollback() { transactionGuard.end() }

    func setValue(_ value: [UInt8]?, of key: [UInt8]) {
        if value == nil && content[key] == nil { return }
        content[key] = value
        hasWritten = true
    }
}
