extension RevisionTree {
    /// What became of a revision that was to be inserted.
    public enum Insertion: Sendable, Equatable {
        /// It is in the tree now, as a leaf.
        case inserted
        /// It was there before; nothing changed.
        case known
    }

    /// Adds a revision of our own, with a body, as a leaf.
    ///
    /// Whether a conflict may arise is the caller's to decide, with `canExtendWithoutConflict(parent:)`.
    ///
    /// - Parameters:
    ///   - parent: the revision it follows; nil for a first revision (another root where the tree has one already).
    ///   - sequence: the sequence under which it is stored.
    /// - Throws: `StorageError` with `notFound` (404) for an unknown parent, `badRequest` (400) where the generation is not
    ///   the parent's plus one (1 without parent), `tooLarge` (413) beyond `maximumCount` revisions. The tree is then as it was.
    /// - Complexity: O(count).
    @discardableResult
    public mutating func insert(
        _ id: RevisionID,
        parent: RevisionID?,
        deleted: Bool,
        hasAttachments: Bool,
        sequence: UInt64
    ) throws(StorageError) -> Insertion {
        if index(of: id) != nil { return .known }
        var parentIndex = -1
        if let parent {
            guard let found = index(of: parent) else {
                throw StorageError(.notFound, "The parent revision is not in the document's revision tree.")
            }
            parentIndex = found
        }
        guard id.generation == (parent?.generation ?? 0) + 1 else {
            throw StorageError(.badRequest, "A revision's generation must be its parent's plus one; 1 without parent.")
        }
        try checkRoom(for: 1)
        add(
            Node(
                id: id,
                sequence: sequence,
                parentIndex: parentIndex,
                deleted: deleted,
                hasAttachments: hasAttachments
            )
        )
        return .inserted
    }

    /// Adds a revision that came with its history, as a leaf with a body. Ancestors that are not known yet are added
    /// without body, with sequence 0, up to the first one that is; where none is known, the history becomes a line of its
    /// own. What stands behind the first known ancestor is not looked at. A revision that is known already, though only by
    /// its ID, stays as it is.
    ///
    /// - Parameter history: the revision and its ancestors, newest first. The generations descend by one at each step, as
    ///   CouchDB's `_revisions` imply: cut a history at its first gap.
    /// - Throws: `StorageError` with `badRequest` (400) for an empty history or another step, `tooLarge` (413) beyond
    ///   `maximumCount` revisions. The tree is then as it was.
    /// - Complexity: O(count + history's length).
    @discardableResult
    public mutating func insert(
        history: [RevisionID],
        deleted: Bool,
        hasAttachments: Bool,
        sequence: UInt64
    ) throws(StorageError) -> Insertion {
        let id = try RevisionTree.newest(of: history)
        let (newCount, ancestor) = firstKnown(in: history)
        if newCount == 0 { return .known }
        try checkRoom(for: newCount)
        if isEmpty {
            nodes = RevisionTree.line(history, deleted: deleted, hasAttachments: hasAttachments, sequence: sequence)
            return .inserted
        }

        var parentIndex = ancestor ?? -1
        if newCount > 1 {
            for missing in history[1..<newCount].reversed() {
                nodes.append(Node(id: missing, sequence: 0, parentIndex: parentIndex, flags: 0))
                parentIndex = nodes.count - 1
            }
        }
        add(
            Node(
                id: id,
                sequence: sequence,
                parentIndex: parentIndex,
                deleted: deleted,
                hasAttachments: hasAttachments
            )
        )
        return .inserted
    }

    /// The revision that a history is of.
    ///
    /// - Throws: `badRequest` (400) for an empty history, or one whose generations do not descend by one at each step.
    public static func newest(of history: [RevisionID]) throws(StorageError) -> RevisionID {
        guard let id = history.first else { throw StorageError(.badRequest, "A revision's history must not be empty.") }
        for (newer, older) in zip(history, history.dropFirst()) where newer.generation != older.generation + 1 {
            throw StorageError(.badRequest, "The generations of a revision's history must descend by one at each step.")
        }
        return id
    }

    /// The nodes of a tree that consists of one revision with its history; they stand in canonical order as they come.
    private static func line(
        _ history: [RevisionID],
        deleted: Bool,
        hasAttachments: Bool,
        sequence: UInt64
    ) -> [Node] {
        var nodes: [Node] = []
        nodes.reserveCapacity(history.count)
        for (index, id) in history.enumerated() {
            let parent = index + 1 < history.count ? index + 1 : -1
            if index == 0 {
                nodes.append(
                    Node(
                        id: id,
                        sequence: sequence,
                        parentIndex: parent,
                        deleted: deleted,
                        hasAttachments: hasAttachments
                    )
                )
            } else {
                nodes.append(Node(id: id, sequence: 0, parentIndex: parent, flags: 0))
            }
        }
        return nodes
    }

    private func checkRoom(for newCount: Int) throws(StorageError) {
        guard count + newCount <= RevisionTree.maximumCount else {
            throw StorageError(
                .tooLarge,
                "The document would have more than \(RevisionTree.maximumCount) revisions. Prune or purge some first."
            )
        }
    }

    /// How many of the newest revisions of `history` are unknown, and where the first known one is.
    private func firstKnown(in history: [RevisionID]) -> (newCount: Int, index: Int?) {
        // Below this many comparisons a scan costs less than a table.
        if history.count * count <= 4096 {
            for (position, id) in history.enumerated() {
                if let index = index(of: id) { return (position, index) }
            }
            return (history.count, nil)
        }
        let indexes = Dictionary(uniqueKeysWithValues: nodes.indices.lazy.map { (nodes[$0].id, $0) })
        for (position, id) in history.enumerated() {
            if let index = indexes[id] { return (position, index) }
        }
        return (history.count, nil)
    }

    /// Adds a leaf; the nodes may stand out of order where its ancestors were just appended.
    private mutating func add(_ node: Node) {
        let extendsWinner = node.parentIndex == 0 && (!node.isDeleted || nodes[0].isDeleted)
        guard extendsWinner else {
            nodes.append(node)
            if count > 1 { nodes = RevisionTree.ordered(nodes) }
            return
        }
        // A child of the winner that is no less alive wins in its place; all other lines stay as they are.
        for index in nodes.indices where nodes[index].parentIndex >= 0 { nodes[index].parentIndex += 1 }
        var leaf = node
        leaf.parentIndex = 1
        nodes.insert(leaf, at: 0)
    }
}
