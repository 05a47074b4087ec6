internal import SetteeDocumentValues
package import StorageProtocol

extension Database {
    /// Reads revisions of many documents with their histories, all from one state, which is kept until this returns.
    ///
    /// - Parameter body: gets the answers in the order of the requests, each with the index of its request: one or more
    ///   for each, none for an empty list of revisions. The body of a found revision is canonical JSON, empty for other
    ///   answers, and valid only inside the call. It may read from the database.
    /// - Throws: `badID` (494) for a local document; what `body` throws.
    /// - Complexity: O(log n) for each document, its tree once for each wanted revision, and the bodies.
    package func revisions(
        _ requests: some Sequence<RevisionRequest>,
        _ body: (_ place: Int, RevisionAnswer, RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let context = ThreadContext.current
        try withReadGeneration(readsBlobs: true) { (transaction, generation) throws(StorageError) in
            try context.with(.snapshot(transaction, generation), on: self) { () throws(StorageError) in
                for (place, request) in requests.enumerated() {
                    try answer(request, in: transaction) { (answer, json) throws(StorageError) in
                        try body(place, answer, json)
                    }
                }
            }
        }
    }

    private func answer(
        _ request: RevisionRequest,
        in transaction: any ReadTransaction,
        _ body: (RevisionAnswer, RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let id = try request.documentID.checked()
        guard !id.isLocal else { throw Database.noTree }
        let nothing = unsafe [UInt8]().span.bytes
        let isFound = try transaction.record(id, fields: [.tree, .body]) { (record) throws(StorageError) in
            let tree = try record.withTree { (bytes) throws(StorageError) in try RevisionTree(stored: bytes) }
            for place in request.places(in: tree) {
                switch place {
                case .at(let index):
                    let found = request.found(index, in: tree, of: id)
                    if index == 0 {
                        try record.withBody { (json) throws(StorageError) in try body(.found(found), json) }
                        continue
                    }
                    var isKept = false
                    if found.sequence != 0 {
                        isKept = try transaction.revisionBody(at: found.sequence) { (json) throws(StorageError) in
                            try body(.found(found), json)
                        }
                    }
                    if !isKept { try body(.missing(found.id), nothing) }
                case .unknown(let revision): try body(.missing(revision), nothing)
                case .none: try body(.noDocument, nothing)
                }
            }
        }
        guard !isFound else { return }
        guard case .revisions(let wanted) = request.selection else { return try body(.noDocument, nothing) }
        for revision in wanted { try body(.missing(revision), nothing) }
    }
}

extension RevisionRequest {
    fileprivate enum Place {
        case at(Int)
        case unknown(RevisionID)
        case none
    }

    fileprivate func places(in tree: RevisionTree) -> [Place] {
        switch selection {
        case .current: return [tree.isDeleted ? .none : .at(0)]
        case .leaves: return tree.nodes.indices.filter(tree.isLeaf).map { .at($0) }
        case .revisions(let wanted):
            var places: [Place] = []
            var given = Set<Int>()
            for revision in wanted {
                guard let index = tree.index(of: revision) else {
                    places.append(.unknown(revision))
                    continue
                }
                let indexes = latest ? tree.leaves(following: index) : [index]
                // With `latest` two of them may have one leaf.
                for index in indexes where given.insert(index).inserted { places.append(.at(index)) }
            }
            return places
        }
    }

    fileprivate func found(_ index: Int, in tree: RevisionTree, of id: DocumentID) -> FoundRevision {
        let node = tree.nodes[index]
        var history: [RevisionID] = []
        var next: Int? = index
        while let step = next {
            let ancestor = tree.nodes[step]
            history.append(ancestor.id)
            next = step != index && knownAncestors.contains(ancestor.id) ? nil : ancestor.parent
        }
        return FoundRevision(
            documentID: id,
            id: node.id,
            sequence: node.sequence,
            isDeleted: node.isDeleted,
            hasAttachments: node.hasAttachments,
            history: history
        )
    }
}
