internal import StorageConformance
internal import StorageProtocol
internal import Testing

@testable internal import SetteeDocumentValues

/// A tree that many branches are added to, compared with the tree that restores its order after each of them.
@Suite struct GrowingRevisionTreeTests {
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func growsAsTheOrderedTreeDoes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let depth = [1, 2, 4, 20][random.below(4)]
        var tree = RevisionTree()
        try tree.insert(history: [id(1, 0)], deleted: random.chance(1, in: 4), hasAttachments: false, sequence: 1)
        var growing = try #require(GrowingRevisionTree(tree, depth: depth))
        var handled = 0
        for step in 1...150 {
            let history = try history(step, tree, &random)
            let isDeleted = random.chance(1, in: 3)
            let isKnown = tree.index(of: history[0]) != nil
            #expect(growing.contains(history[0]) == isKnown, "seed \(seed), step \(step)")
            let sequence = UInt64(step + 1)
            let checksum = random.chance(1, in: 5) ? nil : UInt32(truncatingIfNeeded: random.next())
            let before = growing.tree
            let isDone =
                growing.insert(history: history, deleted: isDeleted, sequence: sequence, bodyChecksum: checksum)
            if !isDone { #expect(growing.tree == before, "seed \(seed), step \(step)") }
            try tree.insert(
                history: history,
                deleted: isDeleted,
                hasAttachments: false,
                sequence: sequence,
                bodyChecksum: checksum
            )
            tree.prune(depth: depth)
            if isDone {
                handled += 1
            } else {
                growing = try #require(GrowingRevisionTree(tree, depth: depth))
            }
            #expect(growing.tree == tree, "seed \(seed), step \(step)")
            #expect(growing.winner.id == tree.winner?.id, "seed \(seed), step \(step)")
            #expect(growing.winner.isDeleted == tree.isDeleted, "seed \(seed), step \(step)")
            #expect(growing.isConflicted == tree.isConflicted, "seed \(seed), step \(step)")
        }
        // Only the smaller part has to be left to the ordered tree.
        #expect(handled > (depth == 1 ? 10 : 75), "seed \(seed), depth \(depth)")
    }

    @Test func aTreeThatIsNotPrunedIsRefused() throws {
        var tree = RevisionTree()
        #expect(GrowingRevisionTree(tree, depth: 3) == nil)
        try tree.insert(
            history: (1...4).reversed().map { id($0, 0) },
            deleted: false,
            hasAttachments: false,
            sequence: 1
        )
        #expect(GrowingRevisionTree(tree, depth: 3) == nil)
        #expect(GrowingRevisionTree(tree, depth: 4) != nil)
    }

    @Test func aTreeIsNeverTooLarge() throws {
        var tree = RevisionTree()
        let longest = UInt64(RevisionTree.maximumCount - 1)
        let trunk = (1...longest).reversed().map { id($0, 0) }
        try tree.insert(history: trunk, deleted: false, hasAttachments: false, sequence: 1)
        var growing = try #require(GrowingRevisionTree(tree, depth: .max))
        let histories = [[id(3, 1), id(2, 1), id(1, 0)], [id(2, 2), id(1, 0)], [id(2, 3), id(1, 0)]]
        let done = histories.map { growing.insert(history: $0, deleted: false, sequence: 2, bodyChecksum: nil) }
        #expect(done == [false, true, false])
        #expect(growing.tree.count == RevisionTree.maximumCount)
    }

    private func id(_ generation: UInt64, _ number: UInt64) -> RevisionID {
        RevisionID(uncheckedGeneration: generation, high: number, low: 0)
    }

    /// Mostly a new branch, sometimes on a leaf, or far above a known revision.
    private func history(_ step: Int, _ tree: RevisionTree, _ random: inout SeededGenerator) throws -> [RevisionID] {
        let number = UInt64(step)
        if random.chance(1, in: 12) {
            return tree.history(of: try #require(tree.nodes.randomElement(using: &random)).id).map(\.id)
        }
        var ancestors: [RevisionID] = []
        if !random.chance(1, in: 10) {
            let joins = tree.nodes.indices.filter { !tree.isLeaf($0) || random.chance(1, in: 8) }
            guard let join = joins.randomElement(using: &random) else { return [id(1, number)] }
            ancestors = tree.history(of: tree.nodes[join].id).map(\.id)
        }
        let length = random.chance(1, in: 4) ? 1 + UInt64(random.below(8)) : 1
        let first = (ancestors.first?.generation ?? 0) + 1
        return (first..<first + length).reversed().map { id($0, number) } + ancestors
    }
}
