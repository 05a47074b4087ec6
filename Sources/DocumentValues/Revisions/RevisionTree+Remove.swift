public import StorageProtocol

extension RevisionTree {
    /// Prunes the tree: each leaf keeps the `depth` newest revisions of its own line, itself included. A revision that
    /// no leaf keeps is removed.
    ///
    /// - Parameter depth: 1 or more; less counts as 1.
    /// - Returns: The removed revisions. Their parent indexes are no longer valid.
    /// - Complexity: O(count), plus O(leaves · log leaves) if revisions are removed from several lines.
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

    /// Returns the number of revisions from each node to the nearest leaf among its descendants, both included.
    private func distancesToNearestLeaf() -> [Int] {
        var distances = [Int](repeating: Int.max, count: count)
        // A line only joins lines before it. From the last line to the first, the distances of all lines that join a
        // line are therefore known when it is reached. Within a line a node comes before its parent.
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

    /// Gives the winner another sequence, as if it were stored now. Does nothing in an empty tree.
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

    /// Removes a leaf and those of its ancestors that no other leaf descends from. Does nothing if `id` is not a leaf.
    ///
    /// - Returns: The removed revisions. Their parent indexes are no longer valid.
    @discardableResult
    public mutating func removeLeaf(_ id: RevisionID) -> [Node] {
        removeLeaves([id])
    }

    /// Removes leaves and those of their ancestors that no other leaf descends from. IDs that are unknown or not of a
    /// leaf are ignored. The tree may be empty afterwards.
    ///
    /// - Returns: The removed revisions. Their parent indexes are no longer valid.
    /// - Complexity: O(count + number of IDs), plus O(leaves · log leaves) if anything is removed.
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
