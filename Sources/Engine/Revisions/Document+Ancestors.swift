internal import SetteeDocumentValues
public import StorageProtocol

/// The questions that replication has about the revision tree of a document.
extension Document {
    /// Returns known revisions that may be ancestors of an unknown one: those with a lower generation, the highest
    /// first. They are leaves, or other revisions if no leaf qualifies.
    ///
    /// - Parameters:
    ///   - revision: the revision whose ancestors are wanted; it need not be known.
    ///   - limit: the highest number of results; nil: all.
    ///   - withBodiesOnly: whether to leave out revisions whose body is not kept or says `"_removed": true`.
    /// - Throws: `badParameter` (495) for a negative limit, `badID` (494) for a local document.
    /// - Complexity: O(revisions of the document · log n).
    public func possibleAncestors(
        of revision: RevisionID,
        limit: Int? = nil,
        withBodiesOnly: Bool = false
    ) throws(StorageError) -> [RevisionID] {
        let id = try documentID()
        guard !id.isLocal else { throw Database.noTree }
        guard (limit ?? 0) >= 0 else { throw StorageError(.badParameter, "`limit` must not be negative.") }
        return try database.withStored(id) { (stored) throws(StorageError) in
            try stored.possibleAncestors(
                below: revision.generation,
                limit: limit ?? Int.max,
                withBodiesOnly: withBodiesOnly
            )
        } ?? []
    }

    /// Returns the newest revision that `revision` has in common with one of `others`: an ancestor of both, or one of
    /// them. Unknown revisions are ignored.
    ///
    /// - Returns: nil if there is none. The body may be gone, as `hasBody` says.
    /// - Throws: `badID` (494) for a local document.
    /// - Complexity: O(revisions of the document + number of others).
    public func findCommonAncestor(
        of revision: RevisionID,
        with others: [RevisionID]
    ) throws(StorageError) -> RevisionInfo? {
        let id = try documentID()
        guard !id.isLocal else { throw Database.noTree }
        return try database.withStored(id) { (stored) throws(StorageError) -> RevisionInfo? in
            let tree = stored.tree
            var shared = Set<Int>()
            let wanted = Set(others)
            for (index, node) in tree.nodes.enumerated() where wanted.contains(node.id) {
                var next: Int? = index
                while let step = next, shared.insert(step).inserted { next = tree.nodes[step].parent }
            }
            var next = tree.index(of: revision)
            while let index = next, !shared.contains(index) { next = tree.nodes[index].parent }
            guard let next else { return nil }
            return try stored.info(at: next)
        } ?? nil
    }
}

extension Database {
    static var noTree: StorageError { StorageError(.badID, "Local documents have no revision tree.") }
}

extension StoredDocument {
    func possibleAncestors(
        below generation: UInt64,
        limit: Int,
        withBodiesOnly: Bool
    ) throws(StorageError) -> [RevisionID] {
        for leaves in [true, false] {
            let candidates = tree.nodes.indices
                .filter { tree.isLeaf($0) == leaves && tree.nodes[$0].id.generation < generation }
                .sorted { tree.nodes[$1].id < tree.nodes[$0].id }
            var found: [RevisionID] = []
            for index in candidates where found.count < limit {
                if withBodiesOnly, try !hasUsableBody(at: index) { continue }
                found.append(tree.nodes[index].id)
            }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Whether the body is kept and does not say that the document was withdrawn.
    private func hasUsableBody(at index: Int) throws(StorageError) -> Bool {
        guard let revision = try revision(at: index) else { return false }
        return try revision.properties["_removed"]?.boolValue != true
    }
}
