internal import SetteeDocumentValues
internal import StorageProtocol

/// A document's revisions in one state of the store: its tree, and bodies as far as they are kept. Valid as long as the
/// transaction in which it was read.
struct StoredDocument {
    let database: Database
    let documentID: DocumentID
    let tree: RevisionTree
    private let transaction: any ReadTransaction

    /// Nil if there is no such document. Local documents have no tree.
    init?(_ documentID: DocumentID, of database: Database, in transaction: any ReadTransaction) throws(StorageError) {
        var found: RevisionTree?
        _ = try transaction.record(documentID, fields: .tree) { (record) throws(StorageError) in
            found = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
        }
        guard let found else { return nil }
        self.init(documentID, tree: found, of: database, in: transaction)
    }

    init(_ documentID: DocumentID, tree: RevisionTree, of database: Database, in transaction: any ReadTransaction) {
        self.documentID = documentID
        self.database = database
        self.tree = tree
        self.transaction = transaction
    }

    /// Returns the body of the revision at `index` in the tree, nil if it is not kept.
    func json(at index: Int) throws(StorageError) -> [UInt8]? {
        var json: [UInt8]?
        if index == 0 {
            _ = try transaction.record(documentID, fields: .body) { (record) throws(StorageError) in
                json = record.bodyCopy()
            }
        } else if tree.nodes[index].sequence != 0 {
            _ = try transaction.revisionBody(at: tree.nodes[index].sequence) { (bytes) throws(StorageError) in
                json = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
            }
        }
        return json
    }

    /// Returns the revision at `index`, nil if its body is not kept.
    func revision(at index: Int) throws(StorageError) -> SavedRevision? {
        try json(at: index).map { revision(at: index, json: $0) }
    }

    func revision(at index: Int, json: [UInt8]) -> SavedRevision {
        let node = tree.nodes[index]
        return SavedRevision(
            in: database,
            documentID: documentID,
            id: node.id,
            sequence: node.sequence,
            isDeleted: node.isDeleted,
            json: json
        )
    }

    /// Returns the leaves in the order in which they win.
    ///
    /// - Parameter onlyLive: Whether to leave out tombstones.
    func leaves(onlyLive: Bool) throws(StorageError) -> [SavedRevision] {
        var leaves: [SavedRevision] = []
        for (index, node) in tree.nodes.enumerated() where tree.isLeaf(index) && !(onlyLive && node.isDeleted) {
            guard let leaf = try revision(at: index) else {
                throw .corrupt("The body of a current revision of document '\(documentID)' is missing")
            }
            leaves.append(leaf)
        }
        return leaves
    }

    func info(at index: Int) throws(StorageError) -> RevisionInfo {
        let node = tree.nodes[index]
        var hasBody = tree.isLeaf(index)
        if !hasBody, node.sequence != 0 {
            hasBody = try transaction.revisionBody(at: node.sequence) { (_) throws(StorageError) in }
        }
        return RevisionInfo(
            of: documentID,
            in: database,
            id: node.id,
            sequence: node.sequence,
            isDeleted: node.isDeleted,
            isLeaf: tree.isLeaf(index),
            hasBody: hasBody
        )
    }

    /// Returns the revision and its ancestors, newest first; empty if it is not known.
    func history(of revision: RevisionID) throws(StorageError) -> [RevisionInfo] {
        var history: [RevisionInfo] = []
        var next = tree.index(of: revision)
        while let index = next {
            history.append(try info(at: index))
            next = tree.nodes[index].parent
        }
        return history
    }
}

extension Database {
    /// Runs `body` on the revisions of a document, in the calling thread's transaction or snapshot, or in a new one.
    ///
    /// - Returns: Nil if there is no such document.
    func withStored<R>(
        _ id: DocumentID,
        _ body: (StoredDocument) throws(StorageError) -> R
    ) throws(StorageError) -> R? {
        try withReadTransaction { (transaction) throws(StorageError) -> R? in
            guard let stored = try StoredDocument(id, of: self, in: transaction) else { return nil }
            return try body(stored)
        }
    }
}
