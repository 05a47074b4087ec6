extension RevisionTree {
    /// Returns `nodes`, whose parents are indexes into the array, in canonical order.
    ///
    /// - Complexity: O(n + leaves · log leaves).
    static func ordered(_ nodes: [Node]) -> [Node] {
        var hasChild = [Bool](repeating: false, count: nodes.count)
        for node in nodes where node.parentIndex >= 0 { hasChild[Int(node.parentIndex)] = true }
        let leaves = nodes.indices.filter { !hasChild[$0] }.sorted { nodes[$0].outranks(nodes[$1]) }

        var places = [Int32](repeating: -1, count: nodes.count)
        var result: [Node] = []
        result.reserveCapacity(nodes.count)
        for leaf in leaves {
            var index = leaf
            while true {
                var node = nodes[index]
                places[index] = Int32(truncatingIfNeeded: result.count)
                guard let parent = node.parent else {
                    result.append(node)
                    break
                }
                let isWritten = places[parent] >= 0
                node.parentIndex = isWritten ? places[parent] : Int32(truncatingIfNeeded: result.count + 1)
                result.append(node)
                if isWritten { break }
                index = parent
            }
        }
        return result
    }

    /// Removes the nodes for which `isKept` is false. Children of removed nodes become roots.
    ///
    /// - Returns: The removed nodes in their old order. Their parent indexes are no longer valid.
    mutating func keep(where isKept: [Bool]) -> [Node] {
        var places = [Int32](repeating: -1, count: nodes.count)
        var kept: [Node] = []
        var removed: [Node] = []
        for (index, node) in nodes.enumerated() {
            if isKept[index] {
                places[index] = Int32(truncatingIfNeeded: kept.count)
                kept.append(node)
            } else {
                removed.append(node)
            }
        }
        if removed.isEmpty { return [] }
        for index in kept.indices {
            if let parent = kept[index].parent { kept[index].parentIndex = places[parent] }
        }
        nodes = RevisionTree.ordered(kept)
        return removed
    }
}
