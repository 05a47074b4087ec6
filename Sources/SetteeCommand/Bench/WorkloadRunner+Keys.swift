internal import Settee
internal import StorageProtocol

extension WorkloadRunner {
    /// How many IDs are in a query.
    private static let keys = 1000
    /// The distance between consecutive IDs in a query: a prime number, so that all documents are read.
    private static let step = 7919

    /// Reads all documents by lists of IDs, in no order.
    func readKeys(includeDocs: Bool) throws {
        var rows = 0
        for first in stride(from: 0, to: lines.count, by: WorkloadRunner.keys) {
            let turns = first..<min(first + WorkloadRunner.keys, lines.count)
            var query = database.allDocumentsQuery(keys: turns.map { id($0 * WorkloadRunner.step % lines.count) })
            query.includeDocs = includeDocs
            try query.forEach { row in
                rows += 1
                checksum &+= UInt64(row.valueJSON?.count ?? 0)
                if includeDocs { checksum &+= UInt64(row.documentRevision?.json.count ?? 0) }
            }
        }
        // If the step divides the number of documents, some documents are read twice.
        if lines.count % WorkloadRunner.step != 0 { try WorkloadRunner.expect(rows, lines.count) }
    }
}
