package import StorageProtocol

/// A revision tree to which many foreign revisions are added, one after another. Each costs time in proportion to the
/// length of its history, however many revisions there are. `RevisionTree` keeps the canonical order, which costs
/// O(count) for each revision; here the order is that of arrival, and `tree` makes it canonical once.
///
/// It is meant for a tree of many branches. An insert that would remove a revision, or make an existing branch win, is
/// left to `RevisionTree`.
package struct GrowingRevisionTree: Sendable {
    /// In the order of arrival. Parents are indexes into this array.
    private var nodes: [RevisionTree.Node]
    private var hasChild: [Bool]
    private var places: [RevisionID: Int]
    private var winnerPlace = 0
    private var liveLeafCount: Int
    private let depth: Int

    /// Nil for a tree that is empty or not pruned to `depth`.
    ///
    /// - Complexity: O(count).
    package init?(_ tree: RevisionTree, depth: Int) {
        var pruned = tree
        guard !tree.isEmpty, pruned.prune(depth: depth).isEmpty else { return nil }
        nodes = tree.nodes
        hasChild = nodes.indices.map { !tree.isLeaf($0) }
        places = Dictionary(minimumCapacity: 2 * nodes.count)
        for (place, node) in nodes.enumerated() { places[node.id] = place }
        liveLeafCount = zip(nodes, hasChild).count { node, isParent in !isParent && !node.isDeleted }
        self.depth = max(1, depth)
    }

    /// The tree in canonical order. Complexity: O(count + leaves · log leaves).
    package var tree: RevisionTree { RevisionTree(ordered: RevisionTree.ordered(nodes)) }

    /// See `RevisionTree.winner`.
    package var winner: RevisionTree.Node { nodes[winnerPlace] }

    /// See `RevisionTree.isConflicted`. Complexity: O(1).
    package var isConflicted: Bool { liveLeafCount > 1 }

    /// Whether the revision is known. Complexity: O(1).
    package func contains(_ id: RevisionID) -> Bool { places[id] != nil }

    /// Adds an unknown revision that has a body without attachments, and prunes, like `RevisionTree.insert(history:)`
    /// and `prune(depth:)`.
    ///
    /// - Parameter history: A history that `RevisionTree.newest(of:)` accepts.
    /// - Returns: Whether it could be done here. If not, nothing has changed.
    /// - Complexity: O(history's length + depth).
    package mutating func insert(
        history: [RevisionID],
        deleted: Bool,
        sequence: UInt64,
        bodyChecksum: UInt32?
    ) -> Bool {
        let newCount = history.firstIndex { places[$0] != nil } ?? history.count
        guard let id = history.first, newCount > 0, nodes.count + newCount <= RevisionTree.maximumCount else {
            return false
        }
        let ancestor = newCount < history.count ? places[history[newCount]] : nil
        let leaf = RevisionTree.Node(
            id: id,
            sequence: sequence,
            parentIndex: -1,
            deleted: deleted,
            hasAttachments: false,
            bodyChecksum: bodyChecksum
        )
        let extended = ancestor.flatMap { hasChild[$0] ? nil : $0 }
        if let extended {
            // Other revisions are as near to a leaf as before. Those of this line may become too old.
            guard keepsAll(of: extended, below: newCount) else { return false }
            guard extended != winnerPlace || leaf.outranks(nodes[extended]) else { return false }
            if !nodes[extended].isDeleted { liveLeafCount -= 1 }
        }
        let isCut = newCount > depth
        add(leaf, history[1..<min(newCount, depth)], on: isCut ? nil : ancestor)
        return true
    }

    /// Whether nothing is pruned from the line that ends at `place` if `count` revisions follow.
    private func keepsAll(of place: Int, below count: Int) -> Bool {
        var length = count
        var next: Int? = place
        while let index = next {
            length += 1
            if length > depth { return false }
            next = nodes[index].parent
        }
        return true
    }

    private mutating func add(_ leaf: RevisionTree.Node, _ ancestors: ArraySlice<RevisionID>, on parent: Int?) {
        if let parent { hasChild[parent] = true }
        var parent = parent ?? -1
        for id in ancestors.reversed() {
            append(RevisionTree.Node(id: id, sequence: 0, parentIndex: parent, flags: 0), isParent: true)
            parent = nodes.count - 1
        }
        var leaf = leaf
        leaf.parentIndex = Int32(truncatingIfNeeded: parent)
        append(leaf, isParent: false)
        if !leaf.isDeleted { liveLeafCount += 1 }
        if leaf.outranks(winner) { winnerPlace = nodes.count - 1 }
    }

    private mutating func append(_ node: RevisionTree.Node, isParent: Bool) {
        places[node.id] = nodes.count
        nodes.append(node)
        hasChild.append(isParent)
    }
}
