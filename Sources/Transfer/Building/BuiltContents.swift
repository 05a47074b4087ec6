internal import SetteeDocumentValues
internal import SetteeEngine
internal import StorageProtocol

/// Figures about the content of a database, counted while it is built and again when it is read.
struct BuiltContents: Equatable {
    var documents = 0
    var deleted = 0
    var revisions = 0
    /// Bodies of revisions other than winners.
    var bodies = 0
    var localDocuments = 0
    var contents = 0
    var references: UInt64 = 0
    /// Over IDs and sequences.
    private var fingerprint: UInt64 = 0

    init() {}

    mutating func add(_ id: DocumentID, sequence: UInt64, revisions: Int, isDeleted: Bool) {
        documents += 1
        if isDeleted { deleted += 1 }
        self.revisions += revisions
        fingerprint &+= id.withBytes { ByteHash.of($0, seed: sequence) }
    }

    /// Counts by reading everything.
    ///
    /// - Throws: `corrupt` (591) if a tree or body differs from what was written.
    init(of transaction: any ReadTransaction, _ blobs: any BlobStore) throws(StorageError) {
        let gate = ThreadContext.current.gate
        try transaction.orderedRecords(in: .all, descending: false, fields: .all) { (record) throws(StorageError) in
            try gate?.check()
            let id = try record.documentID()
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            add(id, sequence: record.sequence, revisions: tree.count, isDeleted: tree.isDeleted)
            guard let winner = tree.winner, record.flags == tree.documentFlags else { throw BuiltContents.damaged }
            try record.withBody { (body) throws(StorageError) in try BuiltContents.check(body, winner) }
            for node in tree.nodes.dropFirst() where node.bodyChecksum != nil {
                let isThere = try transaction.revisionBody(at: node.sequence) { (body) throws(StorageError) in
                    try BuiltContents.check(body, node)
                }
                guard isThere else { throw BuiltContents.damaged }
                bodies += 1
            }
            return true
        }
        try transaction.orderedLocalDocuments { (_, revision, json) throws(StorageError) in
            guard LocalRevision.isIntact(revision, json) else { throw BuiltContents.damaged }
            localDocuments += 1
            return true
        }
        try transaction.orderedBlobReferences { (reference) throws(StorageError) in
            guard try blobs.size(reference.storageName) == reference.length else { throw BuiltContents.damaged }
            contents += 1
            references += reference.count
            return true
        }
    }

    private static func check(_ body: RawSpan, _ node: RevisionTree.Node) throws(StorageError) {
        guard node.bodyChecksum == RevisionChecksum.ofBody(body, id: node.id, isDeleted: node.isDeleted) else {
            throw damaged
        }
    }

    private static var damaged: StorageError {
        StorageError(.corrupt, "The new database is not as it was written. Check the medium, and begin anew.")
    }
}
