internal import SetteeStorageFiles
public import StorageProtocol

extension Database {
    /// Returns how the database uses its space.
    ///
    /// - Throws: `notOpen` (503), `callback` (593) inside an `update` closure, `fileSystem` (498), `corrupt` (591).
    /// - Complexity: O(size of the database without attachments); memory does not depend on the size. Writers are not
    ///   blocked.
    public func spaceReport() throws(StorageError) -> SpaceReport {
        var report = try withReadTransaction { (transaction) throws(StorageError) in
            var counter = SpaceCounter(transaction)
            try counter.run()
            return counter.report
        }
        let figures = try statistics()
        report.freePages = figures.freeBytes
        report.total = figures.bytesOnDisk
        let named = [
            report.bodies, report.oldBodies, report.conflicts, report.attachments, report.unusedAttachments,
            report.localDocuments, report.indexes, report.freePages,
        ].reduce(0, &+)
        report.other = report.total - min(report.total, named)
        return report
    }
}
