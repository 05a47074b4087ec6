public import StorageProtocol

extension RevisionTree {
    /// Prunes: each leaf keeps the `depth` newest revisions of its own line, itself included; what no leaf keeps goes.
    ///
    /// - Parameter depth: 1 or more; less counts as 1.
    /// - Returns: the removed revisions, whose parents' indexes no longer mean anything.
    /// - Complexity: O(count), and O(leaves · log leaves) more where something goes from several lines.
    @discardableResult
    public mutating func prune(depth: Int) -> [Node] {
        let depth = max(1, depth)
        guard count > depth else { return [] }
        guard nodes.indices.dropFirst().contains(where: isLeaf) else {
            let removed = Array(nodes[depth...])
            nodes.removeLast(count - depth)
            nodes[depth - 1].parentIndex = -1
            return removed
        }
        let distances = distancesToNearestLeaf()
        guard distances.contains(where: { $0 > depth }) else { return [] }
        return keep(where: distances.map { $0 <= depth })
    }

    /// How many revisions lie between each node and the nearest leaf among its descendants, both included.
    private func distancesToNearestLeaf() -> [Int] {
        var distances = [Int](repeating: Int.max, count: count)
        // A line joins only lines before it: from the last line to the first, each one knows all that join it. Within a
        // line a node comes before its parent.
        var end = count
        while end > 0 {
            var start = end - 1
            while !isLeaf(start) { start -= 1 }
            distances[start] = 1
            for index in start..<end {
                if let parent = nodes[index].parent {
                    distances[parent] = min(distances[parent], distances[index] + 1)
                }
            }
            end = start
        }
        return distances
    }

    /// Gives the winner another sequence, as if it were stored now. Nothing happens in an empty tree.
    public mutating func moveWinner(to sequence: UInt64) {
        guard let winner = nodes.first else { return }
        nodes[0] = Node(
            id: winner.id,
            sequence: sequence,
            parentIndex: Int(winner.parentIndex),
            flags: winner.flagBits,
            bodyChecksum: winner.bodyChecksum
        )
    }

    /// Removes a leaf and those of its ancestors that no other leaf descends from. Nothing happens where `id` is no
    /// leaf.
    ///
    /// - Returns: the removed revisions, whose parents' indexes no longer mean anything.
    @discardableResult
    public mutating func removeLeaf(_ id: RevisionID) -> [Node] {
        removeLeaves([id])
    }

    /// Removes leaves and those of their ancestors that no other leaf descends from. IDs that are unknown, or not of a
    /// leaf, are passed over. The tree may be empty afterwards.
    ///
    /// - Returns: the removed revisions, whose parents' indexes no longer mean anything.
    /// - Complexity: O(count + number of IDs), and O(leaves · log leaves) more where something goes.
    @discardableResult
    public mutating func removeLeaves(_ ids: [RevisionID]) -> [Node] {
        let doomed = Set(ids)
        var childCounts = [Int](repeating: 0, count: count)
        for node in nodes { if let parent = node.parent { childCounts[parent] += 1 } }
        var isKept = [Bool](repeating: true, count: count)
        for leaf in nodes.indices where isLeaf(leaf) && doomed.contains(nodes[leaf].id) {
            var next: Int? = leaf
            while let index = next, childCounts[index] == 0 {
                isKept[index] = false
                next = nodes[index].parent
                if let next { childCounts[next] -= 1 }
            }
        }
        return keep(where: isKept)
    }
}
