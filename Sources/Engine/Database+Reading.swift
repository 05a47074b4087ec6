package import StorageProtocol

extension Database {
    func revision(of id: DocumentID) throws(StorageError) -> Revision? {
        try withReadTransaction { (transaction) throws(StorageError) in
            try Database.revision(of: id, in: transaction)
        }
    }

    static func revision(of id: DocumentID, in transaction: any ReadTransaction) throws(StorageError) -> Revision? {
        if id.isLocal { return try localRevision(of: id, in: transaction) }
        var found: Revision?
        _ = try transaction.record(id, fields: .all) { (record) throws(StorageError) in
            let winner = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(decoding: bytes).winner
            }
            guard let winner else { throw .corrupt("The revision tree of document '\(id)' is empty") }
            found = Revision(
                documentID: id,
                id: winner.id,
                sequence: winner.sequence,
                isDeleted: winner.isDeleted,
                json: record.bodyCopy()
            )
        }
        return found
    }

    /// One revision of a document by its ID, nil where it is not known or its body is gone.
    package func revision(_ revisionID: RevisionID, of id: DocumentID) throws(StorageError) -> Revision? {
        if id.isLocal {
            let current = try localRevision(of: id)
            return current?.id == revisionID ? current : nil
        }
        return try withReadTransaction { (transaction) throws(StorageError) in
            var found: Revision?
            var keptAt: RevisionTree.Node?
            _ = try transaction.record(id, fields: .all) { (record) throws(StorageError) in
                let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(decoding: bytes) }
                guard let index = tree.index(of: revisionID) else { return }
                let node = tree.nodes[index]
                if node.id == tree.winner?.id {
                    found = Revision(
                        documentID: id,
                        id: node.id,
                        sequence: node.sequence,
                        isDeleted: node.isDeleted,
                        json: record.bodyCopy()
                    )
                } else if node.sequence != 0 {
                    keptAt = node
                }
            }
            if let node = keptAt {
                _ = try transaction.revisionBody(at: node.sequence) { (bytes) throws(StorageError) in
                    found = Revision(
                        documentID: id,
                        id: node.id,
                        sequence: node.sequence,
                        isDeleted: node.isDeleted,
                        json: unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                    )
                }
            }
            return found
        }
    }

    /// The revision tree of a document, nil where there is no such document.
    package func revisionTree(of id: DocumentID) throws(StorageError) -> RevisionTree? {
        try withReadTransaction { (transaction) throws(StorageError) in
            var tree: RevisionTree?
            _ = try transaction.record(id, fields: .tree) { (record) throws(StorageError) in
                tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(decoding: bytes) }
            }
            return tree
        }
    }
}
