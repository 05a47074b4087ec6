import StorageProtocol

@testable import SetteeKV

extension OrderedStore {
    /// Checks the store without a way to stop.
    func verify(_ report: (StorageProblem) -> Void) throws(StorageError) {
        try verify(step: { () throws(StorageError) in }, report)
    }
}
