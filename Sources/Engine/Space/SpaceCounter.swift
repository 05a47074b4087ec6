internal import SetteeDocumentValues
internal import StorageProtocol

/// Adds up the bytes of everything in a store, on one snapshot, with constant memory.
struct SpaceCounter {
    private let transaction: any ReadTransaction
    private(set) var report = SpaceReport()

    init(_ transaction: any ReadTransaction) { self.transaction = transaction }

    mutating func run() throws(StorageError) {
        try countRecords()
        try countKeptBodies()
        try transaction.orderedLocalDocuments { (_, _, json) throws(StorageError) in
            report.localDocuments += UInt64(json.byteCount)
            return true
        }
        try transaction.orderedBlobReferences { (reference) throws(StorageError) in
            if reference.count > 0 {
                report.attachments &+= reference.length
            } else {
                report.unusedAttachments &+= reference.length
            }
            return true
        }
        for name in try transaction.indexNames() { try countIndex(name) }
    }

    private mutating func countRecords() throws(StorageError) {
        try transaction.orderedRecords(in: .all, descending: false, fields: [.tree, .body]) {
            (record) throws(StorageError) in
            record.withBody { report.bodies += UInt64($0.byteCount) }
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            guard tree.count > 1, let winner = tree.winner else { return true }
            for (index, node) in tree.nodes.enumerated()
            where node.sequence != 0 && tree.isLeaf(index) && node.id != winner.id {
                _ = try transaction.revisionBody(at: node.sequence) { (body) throws(StorageError) in
                    report.conflicts += UInt64(body.byteCount)
                }
            }
            return true
        }
    }

    private mutating func countKeptBodies() throws(StorageError) {
        var kept: UInt64 = 0
        try transaction.orderedRevisionBodies { (_, _, body) throws(StorageError) in
            kept += UInt64(body.byteCount)
            return true
        }
        report.oldBodies = kept - min(kept, report.conflicts)
    }

    private mutating func countIndex(_ name: String) throws(StorageError) {
        try transaction.orderedRows(name, in: .all, descending: false) { (row) throws(StorageError) in
            report.indexes += UInt64(row.withKey { $0.byteCount }) + UInt64(row.withKeyJSON { $0.byteCount })
            report.indexes += UInt64(row.withValueJSON { $0.byteCount } ?? 0)
            return true
        }
    }
}
