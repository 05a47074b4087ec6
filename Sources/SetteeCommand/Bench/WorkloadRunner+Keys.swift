internal import Settee
internal import StorageProtocol

extension WorkloadRunner {
    /// How many IDs a query has.
    private static let keys = 1000
    /// Between two IDs that follow each other in a query: a prime number, so that all documents come.
    private static let step = 7919

    /// All documents by lists of IDs, in no order.
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
        // A number of documents that the step divides gives some of them twice.
        if lines.count % WorkloadRunner.step != 0 { try WorkloadRunner.expect(rows, lines.count) }
    }
}
